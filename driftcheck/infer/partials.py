"""Calls through ``functools.partial``: what is bound first and what the call adds, as one call."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def bound_calls(
    nodes: Iterable[ast.AST], references: Iterable[ast.expr]
) -> Iterator[tuple[ast.expr, ast.Call]]:
    """Each call of a name that holds ``partial(REFERENCE, …)`` and nothing else, with the reference put there.

    ``nodes`` are all of one body. What stands in a ``try`` is left out: a handler may be what takes it.
    """
    found = list(nodes)
    bound = {id(one.args[0]): one for one in found if isinstance(one, ast.Call) and _is_partial(one)}
    for reference in references:
        first = bound.get(id(reference))
        name = None if first is None else _holder(found, first)
        if first is None or name is None:
            continue
        tried = {id(n) for t in found if isinstance(t, ast.Try) for s in t.body for n in ast.walk(s)}
        for call in found:
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name:
                if id(call) not in tried:
                    yield _joined(reference, first, call)


def _is_partial(call: ast.Call) -> bool:
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return named == "partial" and bool(call.args) and not isinstance(call.args[0], ast.Starred)


def _holder(nodes: list[ast.AST], value: ast.Call) -> str | None:
    """The local name that holds a value all through a body."""
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=held) if held is value:
                stores = [
                    n
                    for n in nodes
                    if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)
                ]
                return name if len(stores) == 1 else None
    return None


def _joined(reference: ast.expr, first: ast.Call, call: ast.Call) -> tuple[ast.expr, ast.Call]:
    """The call as it would be written without ``partial``; what the call passes by name wins."""
    func = reference
    if isinstance(reference, ast.Attribute):
        func = ast.copy_location(ast.Attribute(reference.value, reference.attr, ast.Load()), call.func)
    again = {keyword.arg for keyword in call.keywords if keyword.arg is not None}
    keywords = [keyword for keyword in first.keywords if keyword.arg not in again] + call.keywords
    return func, ast.copy_location(ast.Call(func, [*first.args[1:], *call.args], keywords), call)
