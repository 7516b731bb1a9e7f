"""Markdown for a pull request's comment or a job's summary page."""

from __future__ import annotations

import html

from driftcheck.model import Finding, Report
from driftcheck.report.context import Context
from driftcheck.report.escape import visible
from driftcheck.report.links import rule_page
from driftcheck.report.summary import shown, summary

_SIGNS = {"error": "❌", "warning": "⚠️", "note": "ℹ️"}
_SPECIAL = frozenset("\\`*_[]<>|~#&!@")


def render(report: Report, context: Context) -> str:
    """The summary, a table of the findings, and each one's evidence folded away below it."""
    findings = shown(report)
    lines = ["### driftcheck", "", _plain(summary(report, context)), ""]
    if findings:
        lines += ["| | code | where | what |", "| --- | --- | --- | --- |"]
        lines += [_row(one, context) for one in findings]
        lines.append("")
    for one in findings:
        lines += _details(one, context)
    return "\n".join(lines)


def _row(one: Finding, context: Context) -> str:
    code = f"[{one.code}]({rule_page(one.code, one.name)})"
    place = _code(f"{context.place(one.path)}:{one.line}")
    return f"| {_SIGNS[one.severity]} | {code} | {place} | {_plain(one.message)} |"


def _details(one: Finding, context: Context) -> list[str]:
    items = [
        f"{_plain(e.version)}: {_code(f'{e.path}:{e.line}')} {_code(e.text.strip())}" for e in one.evidence
    ]
    items += [f"{_code(f'{r.path}:{r.line}')} {_plain(r.message)}" for r in one.related]
    if one.fix is not None:
        items.append(f"fix ({one.fix.applicability}): {_plain(one.fix.description)}")
    elif one.code in context.hints:
        items.append(f"help: {_plain(context.hints[one.code])}")
    if not items:
        return []
    title = html.escape(visible(f"{one.code} {context.place(one.path)}:{one.line}"))
    listed = [f"- {item}" for item in items]
    return [f"<details><summary>{title}</summary>", "", *listed, "", "</details>", ""]


def _plain(text: str) -> str:
    """Text that shows as it is, whatever Markdown would make of it."""
    return "".join(f"\\{one}" if one in _SPECIAL else one for one in visible(" ".join(text.split())))


def _code(text: str) -> str:
    """A code span; empty text shows nothing."""
    text = visible(text).replace("|", "\\|")
    if not text:
        return ""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
