"""Released trees and reports, each made once in a process; shared by the truth, corpus and renaming tests."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from driftcheck.engine import CheckOptions, check
from driftcheck.model import Finding, Report
from driftcheck.sources import open_tree

SHOWN = ("certain", "likely")


@cache
def release(spec: str, role: str):
    """The tree of a release; ``role`` is ``provider`` or ``consumer``."""
    return open_tree(spec, role=role)


@cache
def report(consumer: str, target: str, known_good: str | None = None) -> Report:
    """What ``check`` finds for released trees, everything it knows included."""
    return check(
        release(consumer, "consumer"),
        release(target, "provider"),
        release(known_good, "provider") if known_good else None,
        options=CheckOptions(),
    )


def findings_at(found: Report, path_suffix: str, line: int) -> list[Finding]:
    """The findings that start on a line of the file whose path ends in ``path_suffix``."""
    return [f for f in found.findings if path_matches(f.path, path_suffix) and f.line == line]


def shown(found: Report) -> list[Finding]:
    """The findings that a user sees by default and that fail a run."""
    return [
        finding
        for finding in found.findings
        if finding.confidence in SHOWN
        and finding.severity in ("error", "warning")
        and finding.status != "fixed"
    ]


def path_matches(path: str, wanted: str) -> bool:
    """Whether two paths name the same file, one of them perhaps from a directory further out.

    A finding's path is relative to the import root (``pkg/mod.py``), a recorded one to the
    release's root (``src/pkg/mod.py``).
    """
    longer, shorter = sorted((path, wanted), key=len, reverse=True)
    return longer == shorter or longer.endswith("/" + shorter)


def describe(findings: list[Finding]) -> str:
    """Findings as lines for an assertion message."""
    return "\n".join(
        f"  {f.path}:{f.line} {f.code} {f.confidence} {f.status} {f.symbol}: {f.message}" for f in findings
    )


def run_cli(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess:
    """Run this interpreter's ``driftcheck``, the checkout's if it has none; any exit status is an answer."""
    script = Path(sys.executable).with_name("driftcheck")
    if script.exists():
        command = [str(script)]
    else:
        command = [sys.executable, "-m", "driftcheck.cli"]
        environment.setdefault("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    return subprocess.run(
        [*command, *arguments],
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
