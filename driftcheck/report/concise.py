"""One line a finding: ``path:line:col: CODE message``."""

from __future__ import annotations

from driftcheck.model import Report
from driftcheck.report.context import Context
from driftcheck.report.escape import visible
from driftcheck.report.summary import shown, summary


def render(report: Report, context: Context) -> str:
    """The findings in order, one a line, and the summary as the last line."""
    lines = [
        f"{visible(one.path)}:{one.line}:{one.column}: {one.code} {visible(one.message)}"
        for one in shown(report)
    ]
    return "\n".join([*lines, summary(report, context), ""])
