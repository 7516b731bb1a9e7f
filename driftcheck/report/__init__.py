"""One file a format; each has ``render(report, context) -> str``."""

from __future__ import annotations

from importlib import import_module

from driftcheck.model import Report
from driftcheck.report.context import Context

FORMATS = ("text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "junit", "markdown")

__all__ = ["FORMATS", "Context", "render"]


def render(name: str, report: Report, context: Context) -> str:
    """The report in a format of FORMATS, ending in a newline.

    Only that format's module is imported. Raises ValueError for an unknown format.
    """
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}; allowed: {', '.join(FORMATS)}")
    text: str = import_module(f"driftcheck.report.{name.replace('-', '_')}").render(report, context)
    return text
