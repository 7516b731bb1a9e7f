"""The command line of a packed run: ``python run.pyz --device cuda --results results.json``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import zipfile
from pathlib import Path

from .carry_out import Options, carry_out
from .plan import STAGES, load_plan
from .results import ResultsError
from .stages import parse_stages
from .summary import exit_status, text_summary


def main(archive: str | None = None) -> int:
    """Unpacks the archive that this runs from, carries its plan out, and returns the exit status."""
    parser = argparse.ArgumentParser(description="Carries out a packed driftcheck validation.")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: cpu)")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results.json"),
        help="written after every attempt; continued if it exists",
    )
    parser.add_argument(
        "--python",
        type=Path,
        default=Path(sys.executable),
        help="the interpreter with the provider (default: this one)",
    )
    parser.add_argument("--known-good-python", type=Path, help="an interpreter with the known-good provider")
    parser.add_argument("--stages", default=",".join(STAGES), help="comma-separated (default: all of them)")
    parser.add_argument("--budget", type=float, help="seconds after which no attempt is begun or continued")
    parser.add_argument("--jobs", type=int, default=1, help="attempts side by side (default: 1)")
    parser.add_argument(
        "--time-limit", type=float, help="seconds an attempt may take (default: the scenario's)"
    )
    parser.add_argument(
        "--any-version", action="store_true", help="run whatever version of the provider is there"
    )
    parser.add_argument("--show-plan", action="store_true", help="print what would be run, and end")
    given = parser.parse_args()
    try:
        stages = parse_stages(given.stages)
    except ValueError as error:
        parser.error(str(error))
    if given.jobs < 1:
        parser.error("--jobs must be at least 1")
    archive = archive or sys.argv[0]
    with tempfile.TemporaryDirectory(prefix="driftcheck-packed-") as directory:
        place = Path(directory).resolve()
        with zipfile.ZipFile(archive) as packed:
            for name in packed.namelist():
                if name.startswith(("consumer/", "drivers/")) or name == "plan.json":
                    packed.extract(name, place)
        text = (place / "plan.json").read_text(encoding="utf-8")
        if given.show_plan:
            sys.stdout.write(text)
            return 0
        plan = load_plan(text)
        options = Options(
            python=given.python.absolute(),
            device=given.device,
            stages=stages,
            results=given.results.absolute(),
            budget=given.budget,
            jobs=given.jobs,
            known_good_python=given.known_good_python and given.known_good_python.absolute(),
            check_version=not given.any_version,
            time_limit=given.time_limit,
        )
        (place / "consumer").mkdir(exist_ok=True)
        try:
            results = carry_out(plan, place / "consumer", place / "drivers", options, say)
        except (ResultsError, OSError) as error:
            sys.stderr.write(f"error: {error}\n")
            return 2
    sys.stdout.write("\n" + text_summary(results))
    return exit_status(results)


def say(line: str) -> None:
    """Live progress, a line at a time."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
