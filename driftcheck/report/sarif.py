"""SARIF 2.1.0, as code scanning services take it.

Limits are GitHub's: 25,000 results a run, 1,024 characters a rule's description, 20 tags a rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from driftcheck import __version__
from driftcheck.engine.identity import fingerprints
from driftcheck.model import Edit, Finding, Report
from driftcheck.report.context import Context
from driftcheck.report.encoding import indented
from driftcheck.report.frame import SourceLines
from driftcheck.report.links import HOME, rule_page
from driftcheck.report.summary import shown

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "driftcheck/v1"
MAX_RESULTS = 25_000
MAX_DESCRIPTION = 1_024
MAX_MESSAGE = 10_000
_ROOT = "%SRCROOT%"
_RANK = {"error": 0, "warning": 1, "note": 2}
_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
_PRECISION = {"certain": "very-high", "likely": "high", "possible": "medium"}


def render(report: Report, context: Context) -> str:
    """One run with the rules that its results name; the gravest results first where there are too many."""
    findings = shown(report)
    kept = findings
    if len(findings) > MAX_RESULTS:
        kept = sorted(findings, key=lambda one: (_RANK[one.severity], one.order))[:MAX_RESULTS]
    codes = sorted({one.code: one for one in kept}.items())
    numbers = {code: number for number, (code, _) in enumerate(codes)}
    marks = fingerprints(kept, SourceLines(context.read).line)
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if len(kept) < len(findings):
        text = f"{len(findings) - len(kept)} findings left out: a run holds at most {MAX_RESULTS} results"
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    run = {
        "tool": {
            "driver": {
                "name": "driftcheck",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": HOME,
                "rules": [_rule(one, context) for _, one in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "invocations": [invocation],
        "results": [
            _result(one, numbers[one.code], mark, context) for one, mark in zip(kept, marks, strict=True)
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return indented(log)


def _rule(one: Finding, context: Context) -> dict[str, Any]:
    text = context.rules.get(one.code)
    summary = text.summary if text else one.name.replace("-", " ")
    uri = rule_page(one.code, one.name)
    severity = text.severity if text else one.severity
    return {
        "id": one.code,
        "name": "".join(part.capitalize() for part in one.name.split("-")),
        "shortDescription": {"text": _cut(f"{one.name}: {summary}", MAX_DESCRIPTION)},
        "fullDescription": {"text": _cut(summary, MAX_DESCRIPTION)},
        "help": {"text": text.help if text else uri, "markdown": text.help if text else f"<{uri}>"},
        "helpUri": uri,
        "defaultConfiguration": {"level": severity},
        "properties": {
            "tags": ["drift", "compatibility"],
            "precision": _PRECISION[one.confidence],
            "problem.severity": _PROBLEM[severity],
        },
    }


def _result(one: Finding, rule: int, mark: str, context: Context) -> dict[str, Any]:
    properties = {
        "symbol": one.symbol,
        "confidence": one.confidence,
        "status": one.status,
        "since": one.since,
        "contract": one.contract,
        "provider": one.provider,
    }
    lines = [one.message, *(f"{e.version}: {e.path}:{e.line}  {e.text.strip()}" for e in one.evidence)]
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": one.severity,
        "message": {"text": _cut("\n".join(lines), MAX_MESSAGE)},
        "locations": [{"physicalLocation": _location(one.path, _region(one), context)}],
        "partialFingerprints": {FINGERPRINT: mark},
        "properties": {key: value for key, value in properties.items() if value},
    }
    if one.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _location(other.path, {"startLine": other.line}, context),
                "message": {"text": other.message},
            }
            for number, other in enumerate(one.related, 1)
        ]
    if one.fix is not None and one.fix.edits and one.fix.applicability != "display":
        result["fixes"] = [
            {
                "description": {"text": f"{one.fix.description} ({one.fix.applicability})"},
                "artifactChanges": _changes(one.fix.edits, context),
            }
        ]
    return result


def _changes(edits: Iterable[Edit], context: Context) -> list[dict[str, Any]]:
    """The edits by file, in their order."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    return [
        {
            "artifactLocation": _artifact(path, context),
            "replacements": [
                {"deletedRegion": _region(edit), "insertedContent": {"text": edit.text}} for edit in here
            ],
        }
        for path, here in by_path.items()
    ]


def _region(one: Finding | Edit) -> dict[str, int]:
    return {
        "startLine": one.line,
        "startColumn": one.column,
        "endLine": one.end_line,
        "endColumn": one.end_column,
    }


def _location(path: str, region: dict[str, int], context: Context) -> dict[str, Any]:
    return {"artifactLocation": _artifact(path, context), "region": region}


def _artifact(path: str, context: Context) -> dict[str, str]:
    return {"uri": quote(context.place(path), errors="surrogateescape"), "uriBaseId": _ROOT}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
