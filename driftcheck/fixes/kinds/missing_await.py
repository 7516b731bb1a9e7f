"""A call that became a coroutine is awaited, where it stands in a coroutine; elsewhere a person decides."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import enclosing, text_of
from driftcheck.infer.colours import colour_of
from driftcheck.model import Span
from driftcheck.uses.results import ResultUse

CODES = frozenset({"DC404"})
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, ResultUse):
        return None
    if use.how == "await":
        return _without_await(job, use)
    call = _call(use.node)
    if call is None or use.origin is None or colour_of(job.view.world, use.origin.callee) != "coroutine":
        return None
    span = job.source.span(call)
    holders = enclosing(job.source.tree, call)
    inside = next((h for h in reversed(holders) if isinstance(h, _SCOPES)), None)
    person = "" if isinstance(inside, ast.AsyncFunctionDef) else "it does not stand in an async function"
    text = text_of(job.source, call)
    awaited = f"await {text}" if _stands_alone(call, holders) else f"(await {text})"
    whole = Span(span.line, span.column, span.end_line, span.end_column)
    if job.style is not None:
        person = person or "whether it is awaited on both versions"
    return Proposal((Replacement(whole, awaited),), "await it", (), person)


def _call(node: ast.AST) -> ast.Call | None:
    """The call whose result is used, where it is written right there."""
    match node:
        case ast.Call():
            return node
        case ast.Subscript(value=ast.Call() as call) | ast.Attribute(value=ast.Call() as call):
            return call
        case ast.Expr(value=ast.Call() as call):
            return call
    return None


def _stands_alone(call: ast.Call, holders: list[ast.AST]) -> bool:
    """Whether ``await`` needs no brackets there."""
    above = holders[-1] if holders else None
    return isinstance(
        above, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.keyword, ast.NamedExpr)
    ) or (isinstance(above, ast.Call) and call in above.args)


def _without_await(job: Job, use: ResultUse) -> Proposal | None:
    node = use.node
    if not isinstance(node, ast.Await) or job.style is not None:
        return None
    outer, inner = job.source.span(node), job.source.span(node.value)
    gone = Span(outer.line, outer.column, inner.line, inner.column)
    return Proposal((Replacement(gone, ""),), "it is no coroutine: drop await")
