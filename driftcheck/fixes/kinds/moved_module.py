"""A module that has another name now is imported by it, and spelled so where it is used."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import Operation, Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.infer.frame import path_of
from driftcheck.infer.moves import moved_module
from driftcheck.model import Span
from driftcheck.uses import ImportUse

CODES = frozenset({"DC101"})


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, ImportUse) or use.name is not None or job.style is not None:
        return None
    move = moved_module(job.view.world, use.module, None)
    if move is None or move.name:
        return None
    new = move.module.name
    doubts = () if move.sure else (move.doubt,)
    said = f"{use.module} is {new} now"
    if isinstance(use.node, ast.ImportFrom):
        star = ("what else the module gives is not compared",)
        return Proposal((Replacement(use.span, new),), said, (*doubts, *star))
    alias = (
        next((a for a in use.node.names if a.name == use.module), None)
        if isinstance(use.node, ast.Import)
        else None
    )
    if alias is None:
        return None
    operations: list[Operation] = [Replacement(use.span, new)]
    if alias.asname is None:
        chains = _chains(job, use.module)
        if chains is None:
            return None
        operations += [Replacement(span, new) for span in chains]
    return Proposal(tuple(operations), said, doubts)


def _chains(job: Job, module: str) -> list[Span] | None:
    """Where the file spells the module out; None where its first name may mean something else."""
    first = module.partition(".")[0]
    found: list[Span] = []
    for node in job.source.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name) if name == first:
                return None
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name == first:
                return None
            case ast.Attribute() if path_of(node) == module:
                span = job.source.span(node)
                found.append(Span(span.line, span.column, span.end_line, span.end_column))
    return found
