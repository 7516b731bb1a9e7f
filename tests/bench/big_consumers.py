#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Check the big consumers on the vLLM that each was made for and on the next three: time, memory, findings.

python tests/bench/big_consumers.py                           every cell, one process each, caches set aside
python tests/bench/big_consumers.py verl trl                  those consumers only
python tests/bench/big_consumers.py --reports DIR             also keep each cell's JSON report there
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

VERSIONS = ("0.10.2", "0.11.0", "0.12.0", "0.13.0", "0.14.1", "0.16.0", "0.18.1", "0.19.1", "0.20.2", "0.22.1",
            "0.23.0", "0.25.1", "0.28.0", "0.30.0", "0.32.0", "0.33.0")  # fmt: skip

# Each with the release of vLLM that it was made for, by its metadata or its documentation.
MADE_FOR = {
    "vllm-ascend==0.23.0": "0.23.0",
    "vllm-omni==0.16.0": "0.16.0",
    "tpu-inference==0.28.0": "0.28.0",
    "arctic-inference==0.1.2": "0.11.0",
    "verl==0.7.0": "0.12.0",
    "trl==1.16.0": "0.28.0",
    "lmcache==0.3.9.post2": "0.11.0",
    "vllm-spyre==1.9.1": "0.16.0",
}


@dataclass(frozen=True)
class Cell:
    consumer: str
    target: str
    known_good: str | None


def cells(wanted: list[str]) -> list[Cell]:
    """The release each consumer was made for, alone, and the next three against it."""
    found: list[Cell] = []
    for consumer, made_for in MADE_FOR.items():
        if wanted and not consumer.startswith(tuple(wanted)):
            continue
        at = VERSIONS.index(made_for)
        found.append(Cell(consumer, made_for, None))
        found += [Cell(consumer, version, made_for) for version in VERSIONS[at + 1 : at + 4]]
    return found


def run(cell: Cell, reports: Path | None) -> str:
    """One cold check in a process of its own, as a line of the table."""
    command = [
        sys.executable,
        "-m",
        "driftcheck.cli",
        "check",
        cell.consumer,
        "--against",
        f"vllm=={cell.target}",
    ]
    command += [
        "--known-good",
        cell.known_good or "none",
        "--no-cache",
        "--output-format",
        "json",
        "--exit-zero",
    ]
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        output = process.stdout.read()
        trouble = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    head = f"{cell.consumer:26} {cell.target:8} {wall:7.1f} s wall {usage.ru_utime + usage.ru_stime:7.1f} s cpu {usage.ru_maxrss // 1024:6} MB"
    if process.returncode != 0:
        return f"{head}  FAILED ({process.returncode}): {trouble.strip().splitlines()[-1:]}"
    report = json.loads(output)
    if reports is not None:
        reports.mkdir(parents=True, exist_ok=True)
        name = f"{cell.consumer.replace('==', '-')}@{cell.target}.json"
        (reports / name).write_text(json.dumps(report, indent=1))
    counts = Counter(f"{f['code']} {f['confidence']}" for f in report["findings"])
    return f"{head}  " + ", ".join(f"{what} {number}" for what, number in sorted(counts.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the big consumers and print what it took.")
    parser.add_argument("consumers", nargs="*", help="names, or how they begin; all without any")
    parser.add_argument("--reports", type=Path, help="keep the JSON reports in this directory")
    asked = parser.parse_args()
    failed = False
    for cell in cells(asked.consumers):
        line = run(cell, asked.reports)
        failed |= "FAILED" in line
        print(line, flush=True)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
