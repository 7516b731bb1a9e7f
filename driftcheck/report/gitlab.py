"""GitLab's code quality report: a JSON array, each entry with a fingerprint of its own."""

from __future__ import annotations

from driftcheck.engine.identity import fingerprints
from driftcheck.model import Report
from driftcheck.report.context import Context
from driftcheck.report.encoding import indented
from driftcheck.report.frame import SourceLines
from driftcheck.report.summary import shown

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(report: Report, context: Context) -> str:
    """The findings in order; ``[]`` where there are none."""
    findings = shown(report)
    marks = fingerprints(findings, SourceLines(context.read).line)
    entries = [
        {
            "description": f"{one.code} {one.message}",
            "check_name": one.code,
            "fingerprint": mark,
            "severity": _SEVERITIES[one.severity],
            "location": {
                "path": context.place(one.path),
                "lines": {"begin": one.line, "end": one.end_line},
            },
        }
        for one, mark in zip(findings, marks, strict=True)
    ]
    return indented(entries)
