"""Workflow commands that GitHub Actions turns into annotations of the changed files."""

from __future__ import annotations

from driftcheck.model import Finding, Report
from driftcheck.report.context import Context
from driftcheck.report.escape import visible
from driftcheck.report.summary import shown, summary

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, context: Context) -> str:
    """One command a finding, and the summary as the last line."""
    lines = [_command(one, context) for one in shown(report)]
    return "\n".join([*lines, summary(report, context), ""])


def _command(one: Finding, context: Context) -> str:
    places = {
        "file": context.place(one.path),
        "line": str(one.line),
        "endLine": str(one.end_line),
        "title": f"driftcheck {one.code} {one.name}",
    }
    if one.line == one.end_line:
        # Columns of a region over several lines are refused.
        places |= {"col": str(one.column), "endColumn": str(one.end_column)}
    properties = ",".join(f"{key}={_property(value)}" for key, value in places.items())
    parts = [one.message, *(f"{e.version}: {e.path}:{e.line}  {e.text.strip()}" for e in one.evidence)]
    if one.fix is not None:
        parts.append(f"fix ({one.fix.applicability}): {one.fix.description}")
    return f"::{_LEVELS[one.severity]} {properties}::{_data(chr(10).join(visible(part) for part in parts))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(visible(text)).replace(":", "%3A").replace(",", "%2C")
