"""The report as JSON, schema ``driftcheck/1``: fields in the order of the structs, ``schema`` first."""

from __future__ import annotations

import msgspec

from driftcheck.model import Report
from driftcheck.report.context import Context


def render(report: Report, context: Context) -> str:
    """The whole report, indented by two spaces."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
