"""One defect that another one brings about is repaired by the other's repair."""

from __future__ import annotations

import ast

from driftcheck.fixes.proposal import Job
from driftcheck.fixes.slices import enclosing
from driftcheck.uses.results import ResultUse

CAUSES = {"DC402": "DC401"}
"""A code whose finding may be nothing but the consequence of a finding of the other code."""


def is_cause(cause: Job, effect: Job) -> bool:
    """Whether what ``cause`` is about is assigned to the very variable that ``effect`` is about."""
    if CAUSES.get(effect.answer.code) != cause.answer.code or cause.answer.path != effect.answer.path:
        return False
    first, second = cause.use, effect.use
    if (
        not isinstance(first, ResultUse)
        or not isinstance(second, ResultUse)
        or not isinstance(second.node, ast.Name)
    ):
        return False
    holders = enclosing(cause.source.tree, first.node)
    names = _targets(holders[-1]) if holders else set()
    return second.node.id in names and _function(holders) is _function(
        enclosing(effect.source.tree, second.node)
    )


def _targets(statement: ast.AST) -> set[str]:
    match statement:
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.NamedExpr(target=ast.Name(id=name)):
            return {name}
    return set()


def _function(holders: list[ast.AST]) -> ast.AST | None:
    return next(
        (h for h in reversed(holders) if isinstance(h, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))),
        None,
    )
