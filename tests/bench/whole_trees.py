#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Check whole trees, most of which never meant the provider: does any of them crash, hang or fill the memory?

python tests/bench/whole_trees.py                      every tree, one process each, caches set aside
python tests/bench/whole_trees.py django stdlib        those whose name begins so
python tests/bench/whole_trees.py --only-themselves    the large ones as consumer and provider at once
python tests/bench/whole_trees.py --json FILE          also write the rows there

Exits with 1 where a run failed, took longer than --limit seconds or more memory than --peak MB.
"""

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

PROVIDER = "vllm==0.33.0"
STDLIB = sysconfig.get_paths()["stdlib"]

# The provider itself, a plugin of it, the standard library, and twenty large packages that never heard of it.
TREES = (
    "vllm==0.33.0", "vllm-ascend==0.23.0", STDLIB,
    "transformers==4.57.1", "sympy==1.14.0", "django==5.2.7", "sqlalchemy==2.0.44", "pandas==2.3.3",
    "scipy==1.16.2", "salt==3007.8", "ansible-core==2.19.3", "apache-airflow-core==3.1.0", "babel==2.17.0",
    "botocore==1.40.55", "kubernetes==34.1.0", "sentry-sdk==2.42.0", "pygments==2.19.2", "networkx==3.5",
    "numpy==2.3.4", "matplotlib==3.10.7", "scikit-learn==1.7.2", "ray==2.50.0", "accelerate==1.11.0",
)  # fmt: skip
THEMSELVES = ("vllm==0.33.0", "transformers==4.57.1", "sympy==1.14.0", STDLIB)


@dataclass
class Row:
    """One run: what was read, what it took and what came out."""

    consumer: str
    provider: str
    files: int = 0
    megabytes: float = 0.0
    seconds: float = 0.0
    cpu: float = 0.0
    peak: int = 0
    findings: dict[str, int] = field(default_factory=dict)
    trouble: str = ""

    def line(self) -> str:
        """The row as Markdown."""
        found = ", ".join(f"{code} {count}" for code, count in sorted(self.findings.items())) or "none"
        cells = (self.consumer, self.provider, self.files, f"{self.megabytes:.1f}", f"{self.seconds:.1f}", f"{self.cpu:.1f}",
                 self.peak, self.trouble or found)  # fmt: skip
        return "| " + " | ".join(str(cell) for cell in cells) + " |"


def run(consumer: str, provider: str, limit: float) -> Row:
    """One cold check in a process of its own."""
    row = Row(_shown(consumer), _shown(provider))
    command = [sys.executable, "-m", "driftcheck.cli", "check", consumer, "--against", provider]
    command += [
        "--known-good",
        "none",
        "--no-cache",
        "--output-format",
        "json",
        "--exit-zero",
        "--show-possible",
    ]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        row.seconds = time.perf_counter() - began
        row.cpu = usage.ru_utime + usage.ru_stime
        row.peak = usage.ru_maxrss // 1024
        output.seek(0)
        errors.seek(0)
        if process.returncode == 0:
            _count(row, json.loads(output.read()))
        elif row.seconds >= limit:
            row.trouble = f"HANGS: stopped after {limit:.0f} s"
        else:
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            row.trouble = f"FAILED ({process.returncode}): {''.join(last)[:200]}"
    return row


def _shown(spec: str) -> str:
    return f"CPython {sys.version_info[0]}.{sys.version_info[1]} stdlib" if spec == STDLIB else spec


def _count(row: Row, report: dict[str, object]) -> None:
    """What the report says, and how large the consumer's tree is."""
    consumer, findings = report["consumer"], report["findings"]
    assert isinstance(consumer, dict) and isinstance(findings, list)
    row.findings = dict(Counter(f"{one['code']} {one['confidence']}" for one in findings))
    root = Path(consumer["root"])
    sizes = [
        place.stat().st_size
        for place in root.rglob("*.py")
        if place.is_file() and all(part.isidentifier() for part in place.parent.relative_to(root).parts)
    ]
    row.files, row.megabytes = len(sizes), sum(sizes) / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description="Check whole trees and print what it took.")
    parser.add_argument("names", nargs="*", help="how the trees' names begin (stdlib: the standard library)")
    parser.add_argument("--only-themselves", action="store_true", help="only trees against themselves")
    parser.add_argument("--only-provider", action="store_true", help="only trees against the provider")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one run")
    parser.add_argument("--peak", type=int, default=1200, help="MB that a run may take")
    parser.add_argument("--json", type=Path, help="write the rows there too")
    asked = parser.parse_args()
    pairs = [] if asked.only_themselves else [(tree, PROVIDER) for tree in TREES]
    if not asked.only_provider:
        pairs += [(tree, tree) for tree in THEMSELVES if (tree, tree) not in pairs]
    names = tuple(STDLIB if name == "stdlib" else name for name in asked.names)
    rows: list[Row] = []
    print(
        "| consumer | provider | files | MB | s | CPU s | peak MB | findings |\n|---|---|---|---|---|---|---|---|"
    )
    for consumer, provider in pairs:
        if not names or consumer.startswith(names):
            rows.append(run(consumer, provider, asked.limit))
            print(rows[-1].line(), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(any(row.trouble or row.peak > asked.peak for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
