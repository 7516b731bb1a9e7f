"""From breaks to fixes: every codemod is asked, the surest proposal is taken, operations become edits."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from driftcheck.checks import Answer, View
from driftcheck.fixes.calls import changed_call
from driftcheck.fixes.causes import CAUSES, is_cause
from driftcheck.fixes.edits import minimal_edits, replace_span
from driftcheck.fixes.functions import changed_header
from driftcheck.fixes.imports import Moved, changed_import
from driftcheck.fixes.kinds import codemods
from driftcheck.fixes.operations import (
    CallChange,
    ImportChange,
    ImportNeeded,
    InsertAfter,
    Operation,
    ParametersAdded,
    Replacement,
)
from driftcheck.fixes.proposal import Job, Proposal, Style, applicability
from driftcheck.fixes.slices import Unparsable, region
from driftcheck.fixes.statements import inserted_after, needed_imports
from driftcheck.index.source import Source, SourceFault
from driftcheck.model import Edit, Fix
from driftcheck.model.finding import Applicability
from driftcheck.uses import Use

_SURE: dict[Applicability, int] = {"safe": 0, "unsafe": 1, "display": 2}


@dataclass(frozen=True)
class _Planned:
    job: Job
    proposal: Proposal
    grade: Applicability


def plan_fixes(
    breaks: Iterable[tuple[Use, Answer]], view: View, style: Style | None = None
) -> list[Fix | None]:
    """A fix for each break, in their order; None where no codemod knows one.

    Equally sure repairs of one call's arguments share a fix, and all repairs of one import's names do.
    """
    jobs = [Job(use, answer, view, style) for use, answer in breaks]
    planned = [_best(job) for job in jobs]
    for number, job in enumerate(jobs):
        if job.answer.code in CAUSES:
            cause = next(
                (one for one in planned if one and one.grade != "display" and is_cause(one.job, job)), None
            )
            planned[number] = cause or planned[number]
    shared: dict[object, list[_Planned]] = {}
    for one in planned:
        if one is not None:
            shared.setdefault(_place(one), []).append(one)
    fixes = {key: _fix(group) for key, group in shared.items()}
    return [None if one is None else fixes[_place(one)] for one in planned]


def _best(job: Job) -> _Planned | None:
    """The surest of what the codemods propose; of equally sure ones the first."""
    found: list[_Planned] = []
    for codemod in codemods(job.answer.code):
        try:
            proposal = codemod(job)
        except (Unparsable, SourceFault):
            continue
        if proposal is not None:
            found.append(_Planned(job, proposal, applicability(job, proposal)))
    return min(found, key=lambda one: _SURE[one.grade], default=None)


def _place(one: _Planned) -> object:
    """What is edited, where other operations must be made together with these; one's own otherwise."""
    for operation in one.proposal.operations:
        if isinstance(operation, (CallChange, ImportChange)):
            node = operation.node
            # A statement that still fails for one name helps nobody: its names are repaired together.
            together = isinstance(operation, ImportChange) and one.grade != "display"
            grade = "" if together else one.grade
            return one.job.answer.path, type(node).__name__, node.lineno, node.col_offset, grade
    return id(one)


def _fix(group: Sequence[_Planned]) -> Fix:
    grade = max((one.grade for one in group), key=lambda grade: _SURE[grade])
    description = "; ".join(dict.fromkeys(one.proposal.description for one in group))
    reasons = dict.fromkeys(
        reason
        for one in group
        for reason in ([one.proposal.person] if grade == "display" else one.proposal.doubts)
        if reason
    )
    if reasons:
        description += f" [{'; '.join(reasons)}]"
    operations = list(dict.fromkeys(op for one in group for op in one.proposal.operations))
    try:
        edits = operations_to_edits(group[0].job.source, operations)
    except (Unparsable, SourceFault):
        return Fix("display", description)
    return Fix(grade, description, edits)


def operations_to_edits(source: Source, operations: Sequence[Operation]) -> tuple[Edit, ...]:
    """The minimal edits of one file that perform the operations. Raises Unparsable and SourceFault."""
    edits: list[Edit] = []
    for node, calls in _by_node(op for op in operations if isinstance(op, CallChange)):
        start, end = region(source, node)
        old = source.text[start:end]
        merged = tuple(dict.fromkeys(step for change in calls for step in change.operations))
        edits += minimal_edits(source, start, old, changed_call(old, merged))
    for node, imports in _by_node(op for op in operations if isinstance(op, ImportChange)):
        start, end = region(source, node)
        old = source.text[start:end]
        moves = [Moved(one.name, one.module, one.new_name, one.gate) for one in imports]
        edits += minimal_edits(source, start, old, changed_import(old, _indent(source, node), moves))
    for operation in operations:
        if isinstance(operation, ParametersAdded):
            node = operation.function.node
            start, end = region(source, node)[0], operation.function.item.header_end()
            old = source.text[start:end]
            edits += minimal_edits(source, start, old, changed_header(old, operation.parameters))
        elif isinstance(operation, Replacement):
            edits.append(replace_span(source.path, operation.span, operation.text))
        elif isinstance(operation, InsertAfter):
            edits.append(inserted_after(source, operation))
    edits += needed_imports(source, [op.code for op in operations if isinstance(op, ImportNeeded)])
    return tuple(sorted(dict.fromkeys(edits), key=lambda e: (e.line, e.column, e.end_line, e.end_column)))


_Change = TypeVar("_Change", CallChange, ImportChange)


def _by_node(changes: Iterable[_Change]) -> list[tuple[ast.AST, list[_Change]]]:
    """Changes of one node together, whichever parse the node is of."""
    groups: dict[tuple[object, ...], tuple[ast.AST, list[_Change]]] = {}
    for change in changes:
        node = change.node
        key = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        groups.setdefault(key, (node, []))[1].append(change)
    return list(groups.values())


def _indent(source: Source, node: ast.AST) -> str:
    line = source.line(node.lineno)  # type: ignore[attr-defined]
    return line[: len(line) - len(line.lstrip())]
