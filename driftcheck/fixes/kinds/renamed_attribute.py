"""An attribute or method that a class lost is read under the name that took its place."""

from __future__ import annotations

import ast

from driftcheck.fixes.gates import version_test
from driftcheck.fixes.keeping import gate_needs
from driftcheck.fixes.operations import Operation, Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import text_of
from driftcheck.index.classes import ClassDef
from driftcheck.infer.families import counterpart, has, successor
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, Instance, Value
from driftcheck.model import Span
from driftcheck.uses import AttributeUse

CODES = frozenset({"DC103"})


def propose(job: Job) -> Proposal | None:
    old = job.answer.symbol.rpartition(".")[2]
    new = job.answer.replacement or _successor(job, old)
    node = _node(job, old)
    if not new or node is None or new == old:
        return None
    doubts = () if job.answer.confidence == "certain" else ("it is the class's by likeness only",)
    return Proposal(_operations(job, node, old, new), f"{old} is {new} now", doubts)


def _operations(job: Job, node: ast.Attribute, old: str, new: str) -> tuple[Operation, ...]:
    if job.style is None:
        return (Replacement(job.answer.span, new),)
    receiver = text_of(job.source, node.value)
    test = f'hasattr({receiver}, "{new}")' if job.style == "shim" else version_test(job)
    whole = job.source.span(node)
    span = Span(whole.line, whole.column, whole.end_line, whole.end_column)
    both = f"({receiver}.{new} if {test} else {receiver}.{old})"
    return (Replacement(span, both), *(gate_needs(job) if job.style == "gate" else ()))


def _node(job: Job, name: str) -> ast.Attribute | None:
    """The attribute expression whose name the finding is anchored at."""
    span = job.answer.span
    for node in job.source.nodes:
        if isinstance(node, ast.Attribute) and node.attr == name:
            whole = job.source.span(node)
            if (whole.end_line, whole.end_column) == (span.end_line, span.end_column):
                return node
    return None


def _successor(job: Job, name: str) -> str | None:
    """The method that took the place of ``name`` in the class, known by what it does."""
    use, before = job.use, job.before
    if not isinstance(use, AttributeUse) or before is None:
        return None
    found: set[str | None] = set()
    for value, _ in use.answers:
        new = _provider_class(job, value)
        old = counterpart(before.world, new) if new is not None else None
        if new is None or old is None or not has(before.world, old, name):
            return None
        found.add(successor(before.world, job.view.world, [(old, new)], name))
    return found.pop() if len(found) == 1 else None


def _provider_class(job: Job, value: Value) -> ClassDef | None:
    match value:
        case Instance(cls=ClassValue(definition=cls)) | ClassValue(definition=cls):
            world = job.view.world
            return next(
                (c for c in mro(world, cls).order if isinstance(c, ClassDef) and world.is_provider(c.module)),
                None,
            )
    return None
