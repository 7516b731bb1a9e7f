#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Cold time and peak memory of one check, paired with mypy cold on the same pair of releases.

    python tests/bench/bench_check.py --runs 5
    python tests/bench/bench_check.py --runs 3 --no-mypy --against vllm==0.33.0

Sources are fetched and unpacked before anything is timed; each run of driftcheck starts with an empty
cache of its own. The two alternate, so that a busy machine slows both. Not collected by pytest.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

MYPY_FLAGS = (
    "--no-incremental", "--cache-dir=/dev/null", "--follow-imports=silent", "--ignore-missing-imports",
    "--namespace-packages", "--explicit-package-bases", "--check-untyped-defs",
)  # fmt: skip
COUNTERS = ("read", "outlined", "parsed")


@dataclass
class Run:
    seconds: float
    peak_mb: float
    status: int
    output: str


@dataclass
class Series:
    name: str
    runs: list[Run] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(run.seconds for run in self.runs)

    @property
    def peak(self) -> float:
        return statistics.median(run.peak_mb for run in self.runs)

    def __str__(self) -> str:
        times = " ".join(f"{run.seconds:.2f}" for run in self.runs)
        return (
            f"{self.name:11} median {self.median:6.2f} s  peak {self.peak:5.0f} MB  "
            f"exit {self.runs[-1].status}  [{times}]"
        )


def timed(command: list[str], environment: dict[str, str] | None = None, cwd: Path | None = None) -> Run:
    """One process, its wall time and its own peak of resident memory."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=cwd,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
        return Run(seconds, kilobytes / 1024, process.returncode, output.read())


def driftcheck_command() -> list[str]:
    script = Path(sys.executable).with_name("driftcheck")
    return [str(script)] if script.exists() else [sys.executable, "-m", "driftcheck.cli"]


def mypy_command(asked: str | None) -> list[str] | None:
    if asked:
        return [asked]
    if importlib.util.find_spec("mypy"):
        return [sys.executable, "-m", "mypy"]
    found = shutil.which("mypy")
    return [found] if found else None


def unpack(spec: str, role: str, place: Path) -> Path:
    """A release's Python files in a directory that mypy can read."""
    from driftcheck.sources import open_tree

    tree = open_tree(spec, role=role)
    for path in tree.python_files:
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(tree.read(path))
    return place


def counters(output: str) -> dict[str, int]:
    """What ``--profile`` says of bytes, from whatever JSON it prints."""
    found: dict[str, int] = {}
    for line in output.splitlines():
        start = line.find("{")
        if start < 0:
            continue
        try:
            found |= _numbers(json.loads(line[start:]))
        except json.JSONDecodeError:
            found |= {key: int(value) for key, value in re.findall(r'"(\w+)"\s*:\s*(\d+)', line)}
    return {
        key: value
        for key, value in found.items()
        if "byte" in key and any(counter in key for counter in COUNTERS)
    }


def _numbers(value: object, head: str = "") -> dict[str, int]:
    if isinstance(value, dict):
        found: dict[str, int] = {}
        for key, inner in value.items():
            found |= _numbers(inner, f"{head}_{key}" if head else str(key))
        return found
    return {head: value} if isinstance(value, int) and not isinstance(value, bool) else {}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Cold check, paired with mypy cold on the same pair.")
    parser.add_argument("consumer", nargs="?", default="speculators==0.3.0")
    parser.add_argument("--against", default="vllm==0.16.0")
    parser.add_argument("--known-good", default=None, help="default: what the consumer's metadata says")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mypy", default=None, help="the mypy to pair with; default: this environment's")
    parser.add_argument("--no-mypy", action="store_true")
    parser.add_argument("--warm", action="store_true", help="time runs with the caches filled as well")
    return parser.parse_args()


def main() -> int:
    asked = parse_arguments()
    check = [*driftcheck_command(), "check", asked.consumer, "--against", asked.against]
    if asked.known_good:
        check += ["--known-good", asked.known_good]
    first = timed([*check, "--output-format", "concise"])  # fetches and unpacks; fills the page cache
    if first.status not in (0, 1):
        print(first.output, file=sys.stderr)
        return first.status
    cold, warm, other = Series("driftcheck"), Series("  warm"), Series("mypy")
    mypy = None if asked.no_mypy else mypy_command(asked.mypy)
    with tempfile.TemporaryDirectory() as scratch:
        consumer = unpack(asked.consumer, "consumer", Path(scratch) / "consumer")
        provider = unpack(asked.against, "provider", Path(scratch) / "provider") if mypy else None
        packages = [name.name for name in consumer.iterdir() if name.is_dir()]
        for _ in range(asked.runs):
            cold.runs.append(timed([*check, "--no-cache", "--output-format", "concise"]))
            if asked.warm:
                warm.runs.append(timed([*check, "--output-format", "concise"]))
            if mypy:
                arguments = [*mypy, *MYPY_FLAGS, *(part for name in packages for part in ("-p", name))]
                path = os.pathsep.join((str(consumer), str(provider)))
                other.runs.append(timed(arguments, {"MYPYPATH": path}, cwd=Path(scratch)))
    print(f"{asked.consumer} against {asked.against}, {asked.runs} runs, alternating")
    print(cold)
    if warm.runs:
        print(warm)
    if other.runs:
        print(other)
        if other.runs[-1].status not in (0, 1):
            print(other.runs[-1].output[-1000:], file=sys.stderr)
        print(f"ratio       driftcheck / mypy  {cold.median / other.median:.2f}")
    elif not asked.no_mypy:
        print("mypy is not installed here: no pair")
    profile = timed([*check, "--no-cache", "--profile", "--output-format", "concise"])
    for key, value in counters(profile.output).items():
        print(f"{key:24} {value:>12,}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
