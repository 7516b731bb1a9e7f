"""What ``__all__`` of a module lists, in whatever statements it is put together."""

from __future__ import annotations

import ast
import re

from driftcheck.index.nodes import nodes_of
from driftcheck.index.outline import Item
from driftcheck.index.source import Source, SourceFault

_CHANGED = re.compile(
    r"\b__all__\s*(?:\+=|=(?!=)|,|:[^=\n]+=|\[[^\]\n]*\]\s*=|\.\s*(?:append|extend|insert)\b)"
)
"""A change of ``__all__``, in text without strings and comments."""
UNREAD = ast.Name(id="__all__", ctx=ast.Load())
"""Stands for entries that only running the module would tell."""


def listed(source: Source, items: list[Item]) -> tuple[bool, list[ast.expr | str]]:
    """Whether statements of a module make ``__all__``, and its entries: strings, and expressions to resolve.

    A branch or a loop adds to what stands before it; what a function adds when it is called is not read.
    """
    names: list[ast.expr | str] = []
    found = [_statement(source, item, names, False) for item in items if _mentions(source, item)]
    return any(found), names


def _mentions(source: Source, item: Item) -> bool:
    return "__all__" in source.text[item.start : item.end]


def _statement(source: Source, item: Item, names: list[ast.expr | str], inner: bool) -> bool:
    """Adds what one statement lists; whether it makes or changes the list."""
    body = item.body() if item.is_block else None
    if body is not None:
        found = [_statement(source, one, names, True) for one in body if _mentions(source, one)]
        return any(found)
    if item.kind not in ("def", "class") and not item.is_block:
        try:
            statement = source.parse(item)
        except (SourceFault, IndexError):
            return False
        if _collect(statement, names, inner):
            return True
    if _CHANGED.search(item.blank, item.start, item.end) is None:
        return False
    names.append(UNREAD)
    return True


def _collect(statement: ast.stmt, names: list[ast.expr | str], inner: bool) -> bool:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id="__all__")], value=value)
            | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
        ):
            if not inner and not any(_is_itself(node) for node in nodes_of(value)):
                names.clear()
        case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
            pass
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="__all__"), attr="extend" | "append" as how),
                args=[value],
            )
        ):
            if how == "append":
                value = ast.List(elts=[value])
        case _:
            return False
    _flatten(value, names)
    return True


def _is_itself(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "__all__"


def _flatten(value: ast.expr, names: list[ast.expr | str]) -> None:
    match value:
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            for element in elts:
                if isinstance(element, ast.Starred):
                    _flatten(element.value, names)
                elif isinstance(element, ast.Constant) and isinstance(element.value, str):
                    names.append(element.value)
                else:
                    names.append(element)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            _flatten(left, names)
            _flatten(right, names)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted"), args=[inner]):
            _flatten(inner, names)
        case ast.Name(id="__all__"):
            return  # what it held before is there already
        case _:
            names.append(value)
