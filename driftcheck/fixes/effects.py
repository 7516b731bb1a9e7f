"""Whether leaving out or repeating an expression changes what happens besides its value."""

from __future__ import annotations

import ast

from driftcheck.index.nodes import nodes_of

_ACTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def has_effects(node: ast.AST) -> bool:
    """Whether evaluating the expression may do more than give a value; reading attributes does not."""
    return any(isinstance(inner, _ACTS) for inner in nodes_of(node))


def mentions(node: ast.AST, name: str) -> bool:
    """Whether a variable of that name is read or bound anywhere inside."""
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in nodes_of(node))


def has_substance(statement: ast.stmt) -> bool:
    """Whether a statement does something: no docstring, ``pass``, ``...`` or ``NotImplementedError``."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return False
        case ast.Raise(
            exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError"))
        ):
            return False
    return True
