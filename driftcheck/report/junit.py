"""JUnit XML: a suite a file, a test case a finding, for CI systems that show test reports."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from driftcheck.model import Finding, Report
from driftcheck.report.context import Context
from driftcheck.report.escape import visible
from driftcheck.report.summary import shown, summary


def render(report: Report, context: Context) -> str:
    """Errors and warnings are failures, notes pass; where nothing is found one case passes."""
    findings = shown(report)
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    lines.append(f'<testsuites name="driftcheck" {_counts(findings, max(len(findings), 1))}>')
    for path, group in groupby(findings, key=lambda one: one.path):
        here = list(group)
        lines.append(f"  <testsuite name={_attribute(context.place(path))} {_counts(here, len(here))}>")
        for one in here:
            lines += _case(one, context)
        lines.append("  </testsuite>")
    if not findings:
        lines.append('  <testsuite name="driftcheck" tests="1" failures="0" errors="0">')
        lines.append(f'    <testcase classname="driftcheck" name={_attribute(summary(report, context))}/>')
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _case(one: Finding, context: Context) -> Iterator[str]:
    name = f"{one.code} {one.name} {one.line}:{one.column}"
    place = context.place(one.path)
    head = f"    <testcase classname={_attribute(place)} name={_attribute(name)} file={_attribute(place)}"
    yield f'{head} line="{one.line}">'
    text = "\n".join(_details(one, place))
    if _fails(one):
        yield f"      <failure type={_attribute(one.severity)} message={_attribute(one.message)}>"
        yield f"{escape(text)}</failure>"
    else:
        yield f"      <system-out>{escape(text)}</system-out>"
    yield "    </testcase>"


def _details(one: Finding, place: str) -> Iterator[str]:
    yield visible(f"{place}:{one.line}:{one.column}: {one.code} {one.message}")
    for other in one.evidence:
        yield visible(f"{other.version}: {other.path}:{other.line}  {other.text.strip()}")
    if one.fix is not None:
        yield visible(f"fix ({one.fix.applicability}): {one.fix.description}")


def _fails(one: Finding) -> bool:
    return one.severity != "note"


def _counts(findings: list[Finding], tests: int) -> str:
    return f'tests="{tests}" failures="{sum(map(_fails, findings))}" errors="0"'


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
