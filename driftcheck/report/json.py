"""The report as JSON, schema ``driftcheck/1``: fields in the order of the structs, ``schema`` first."""

from __future__ import annotations

from driftcheck.model import Report
from driftcheck.report.context import Context
from driftcheck.report.encoding import indented


def render(report: Report, context: Context) -> str:
    """The whole report, indented by two spaces."""
    return indented(report)
