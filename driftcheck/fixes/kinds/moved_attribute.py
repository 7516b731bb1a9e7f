"""A name read from a module that no longer has it is read from the module that does."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import ImportNeeded, Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.moves import moved_name
from driftcheck.infer.values import ModuleValue
from driftcheck.model import Span
from driftcheck.uses import AttributeUse, PatchUse

CODES = frozenset({"DC102", "DC106"})


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, (AttributeUse, PatchUse)) or job.style is not None:
        return None
    node = _attribute(use.node, use.name)
    holders = [value for value, _ in use.answers] if isinstance(use, AttributeUse) else [use.receiver]
    if node is None or len(holders) != 1 or not isinstance(holders[0], ModuleValue):
        return None
    move = moved_name(job.view.world, holders[0].name, use.name)
    if move is None:
        return None
    new = move.module.name
    first = new.partition(".")[0]
    span = job.source.span(node)
    region = Span(span.line, span.column, span.end_line, span.end_column)
    doubts = () if move.sure else (move.doubt or f"{use.name} is defined in more than one place",)
    if move.module.name == holders[0].name and move.name:
        name = Span(span.end_line, span.end_column - len(use.name), span.end_line, span.end_column)
        return Proposal((Replacement(name, move.name),), f"{use.name} is {move.name} now", doubts)
    person = "" if _is_imported_above(job, first) else f"where {new} is to be imported"
    spelled = f"{new}.{move.name}" if move.name else new
    return Proposal(
        (Replacement(region, spelled), ImportNeeded(f"import {new}")), f"read {spelled}", doubts, person
    )


def _attribute(node: ast.AST, name: str) -> ast.Attribute | None:
    """The attribute that is read or assigned, where the node is or assigns one."""
    for inner in nodes_of(node):
        if isinstance(inner, ast.Attribute) and inner.attr == name:
            return inner
    return None


def _is_imported_above(job: Job, package: str) -> bool:
    """Whether the file's top level imports the package anyway, and nothing else has its name."""
    imported = False
    for node in job.source.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name) if name == package:
                return False
    for statement in job.source.tree.body:
        match statement:
            case ast.Import(names=names):
                imported |= any(alias.name.partition(".")[0] == package for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                imported |= module.partition(".")[0] == package
    return imported
