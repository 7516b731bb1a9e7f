"""One JSON object a finding, one finding a line: for tools that read as they go."""

from __future__ import annotations

from driftcheck.model import Report
from driftcheck.report.context import Context
from driftcheck.report.encoding import encoded


def render(report: Report, context: Context) -> str:
    """The findings in order, each as in the JSON report; empty where there are none."""
    return "".join(encoded(one) + "\n" for one in report.findings)
