"""An answer about a file in which only comments and blank lines changed: the same, on other lines."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from driftcheck.engine.code_lines import LineMap
from driftcheck.engine.comments import MARKER, suppressions
from driftcheck.engine.results import Examined
from driftcheck.model import Chain, Edit, Finding, Fix, Related, Step
from driftcheck.sources.tree import Tree


def relined(answer: Examined, maps: Mapping[str, LineMap], consumer: Tree) -> Examined | None:
    """The answer with the line numbers that the consumer's files have now; None where that cannot be told."""
    try:
        findings = [_finding(one, maps) for one in answer.report.findings]
        strikes = tuple(
            Chain(chain.function, tuple(_step(one, maps) for one in chain.steps))
            for chain in answer.report.strikes
        )
        comments = [one for one in answer.comments if one.path not in maps]
        for path in maps:
            data = consumer.read(path)
            comments += suppressions(path, data) if MARKER in data else []
    except (LookupError, OSError):
        return None
    findings.sort(key=lambda finding: finding.order)
    comments.sort(key=lambda comment: consumer.python_files.index(comment.path))
    report = msgspec.structs.replace(answer.report, findings=findings, strikes=strikes)
    return msgspec.structs.replace(answer, report=report, comments=comments)


def _finding(finding: Finding, maps: Mapping[str, LineMap]) -> Finding:
    related = tuple(_related(one, maps) for one in finding.related)
    fix = finding.fix
    if fix is not None:
        fix = Fix(fix.applicability, fix.description, tuple(_edit(one, maps) for one in fix.edits))
    found = maps.get(finding.path)
    if found is None:
        return msgspec.structs.replace(finding, related=related, fix=fix)
    line, end = found.line(finding.line), found.line(finding.end_line)
    return msgspec.structs.replace(finding, line=line, end_line=end, related=related, fix=fix)


def _related(one: Related, maps: Mapping[str, LineMap]) -> Related:
    found = maps.get(one.path)
    return one if found is None else msgspec.structs.replace(one, line=found.line(one.line))


def _step(one: Step, maps: Mapping[str, LineMap]) -> Step:
    found = maps.get(one.path)
    return one if found is None else msgspec.structs.replace(one, line=found.line(one.line))


def _edit(one: Edit, maps: Mapping[str, LineMap]) -> Edit:
    found = maps.get(one.path)
    if found is None:
        return one
    line, end = found.place(one.line, one.column), found.place(one.end_line, one.end_column)
    if end - line != one.end_line - one.line:
        raise LookupError(one.line)  # a comment inside what is replaced
    return msgspec.structs.replace(one, line=line, end_line=end)
