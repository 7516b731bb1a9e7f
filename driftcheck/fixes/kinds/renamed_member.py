"""A member of an enumeration is taken by the name it has now."""

from __future__ import annotations

import ast

from driftcheck.fixes.gates import version_test
from driftcheck.fixes.keeping import gate_needs
from driftcheck.fixes.operations import Operation, Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import text_of
from driftcheck.model import Span
from driftcheck.uses import AttributeUse

CODES = frozenset({"DC408"})


def propose(job: Job) -> Proposal | None:
    new, use = job.answer.replacement, job.use
    old = job.answer.symbol.rpartition(".")[2]
    if not new:
        return None
    if isinstance(use, AttributeUse) and isinstance(use.node, ast.Attribute):
        holder, first, second = text_of(job.source, use.node.value), f".{new}", f".{old}"
    elif isinstance(use.node, ast.Subscript):
        holder, first, second = text_of(job.source, use.node.value), f'["{new}"]', f'["{old}"]'
    else:
        return None
    said = f"{old} is {new} now"
    doubts = ("it is the same member by its value or spelling",)
    if job.style is not None:
        test = f'hasattr({holder}, "{new}")' if job.style == "shim" else version_test(job)
        needs: tuple[Operation, ...] = gate_needs(job) if job.style == "gate" else ()
        both = f"({holder}{first} if {test} else {holder}{second})"
        return Proposal((Replacement(_whole(job, use.node), both), *needs), said, doubts)
    if isinstance(use, AttributeUse):
        return Proposal((Replacement(use.span, new),), said, doubts)
    assert isinstance(use.node, ast.Subscript)
    key = _whole(job, use.node.slice)
    quote = text_of(job.source, use.node.slice)[-1]
    return Proposal((Replacement(key, f"{quote}{new}{quote}"),), said, doubts)


def _whole(job: Job, node: ast.AST) -> Span:
    span = job.source.span(node)
    return Span(span.line, span.column, span.end_line, span.end_column)
