"""Carries a plan out on this machine: what the packed archive does elsewhere."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from driftcheck.validate.portable.carry_out import Options, carry_out
from driftcheck.validate.portable.plan import Plan
from driftcheck.validate.portable.results import Results
from driftcheck.validate.portable.session import Progress
from driftcheck.validate.scenario import Scenario

CHILD = Path(__file__).parent / "portable" / "child"


def drivers_of(scenario: Scenario) -> dict[str, bytes]:
    """The drivers of a scenario's directory and the scripts that run them, by file name."""
    files = {path.name: path.read_bytes() for path in sorted(scenario.directory.glob("*.py"))}
    files.update({name: (CHILD / name).read_bytes() for name in ("attempt.py", "probe.py")})
    return files


def run_here(
    plan: Plan,
    consumer: Mapping[str, bytes],
    drivers: Mapping[str, bytes],
    options: Options,
    progress: Progress,
) -> Results:
    """Carries the plan out with files that are laid out for it and removed afterwards.

    Raises what carry_out raises.
    """
    place = Path(tempfile.mkdtemp(prefix="driftcheck-plan-")).resolve()
    try:
        lay_out(place / "consumer", consumer)
        lay_out(place / "drivers", drivers)
        return carry_out(plan, place / "consumer", place / "drivers", options, progress)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def lay_out(directory: Path, files: Mapping[str, bytes]) -> None:
    """Writes files below a directory; raises OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
