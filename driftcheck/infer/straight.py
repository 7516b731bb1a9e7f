"""What every way through a function evaluates, as far as an early return does not end it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.index.nodes import nodes_of

_LAZY = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp)


def straight_calls(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    """Calls of the body that stand under no condition, loop or handler, in order."""
    return (node for node in straight_nodes(function) if isinstance(node, ast.Call))


def straight_nodes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """Expressions of the body that stand under no condition, loop or handler, in the order they are done."""
    yield from _block(function.body)


def _block(body: list[ast.stmt]) -> Iterator[ast.expr]:
    for statement in body:
        match statement:
            case ast.If(test=test) | ast.While(test=test):
                yield from _expression(test)
            case ast.For(iter=source) | ast.AsyncFor(iter=source):
                yield from _expression(source)
            case ast.With(items=items, body=inner) | ast.AsyncWith(items=items, body=inner):
                for item in items:
                    yield from _expression(item.context_expr)
                yield from _block(inner)
            case ast.Try(body=inner, handlers=handlers, finalbody=final):
                if not handlers:
                    yield from _block(inner)
                yield from _block(final)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Match():
                continue
            case _:
                for value in ast.iter_child_nodes(statement):
                    if isinstance(value, ast.expr):
                        yield from _expression(value)
        if isinstance(statement, (ast.Return, ast.Raise)):
            return


def _expression(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, _LAZY):
        return
    children = [node.values[0]] if isinstance(node, ast.BoolOp) else list(ast.iter_child_nodes(node))
    for child in children:
        inner = child.value if isinstance(child, ast.keyword) else child
        if isinstance(inner, ast.expr):
            yield from _expression(inner)
    yield node


def returns_before(function: ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> bool:
    """Whether some return or raise of a function comes before a line."""
    return any(isinstance(n, (ast.Return, ast.Raise)) and n.lineno < line for n in nodes_of(function))
