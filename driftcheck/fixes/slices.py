"""Pieces of a consumer file as LibCST nodes: only what is edited is parsed."""

from __future__ import annotations

import ast

import libcst as cst

from driftcheck.index.nesting import is_too_deep
from driftcheck.index.source import Source

_TOO_DEEP = "the piece nests too deeply"
_EMPTY = cst.Module([])


class Unparsable(Exception):
    """The piece is of a grammar that LibCST does not read; there is no edit for it."""


def region(source: Source, node: ast.AST) -> tuple[int, int]:
    """Where a node begins and ends in the file's text."""
    start = source.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
    return start, source.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def text_of(source: Source, node: ast.AST) -> str:
    """A node's own text."""
    start, end = region(source, node)
    return source.text[start:end]


def expression(text: str) -> cst.BaseExpression:
    """A piece that is an expression, wherever its lines break. Raises Unparsable."""
    if is_too_deep(text):
        raise Unparsable(_TOO_DEEP)
    try:
        return cst.parse_expression(text)
    except cst.ParserSyntaxError:
        pass
    try:
        # Inside somebody else's brackets lines may break anywhere; these stand for them.
        wrapped = cst.parse_expression(f"({text})")
    except (cst.ParserSyntaxError, RecursionError) as error:
        raise Unparsable(str(error)) from error
    inner = getattr(wrapped, "lpar", ())
    if not inner:
        raise Unparsable(text)
    return wrapped.with_changes(lpar=inner[1:], rpar=wrapped.rpar[:-1])


def statement(text: str) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
    """A piece that is one statement without its indentation. Raises Unparsable."""
    if is_too_deep(text):
        raise Unparsable(_TOO_DEEP)
    try:
        return cst.parse_statement(text)
    except (cst.ParserSyntaxError, RecursionError) as error:
        raise Unparsable(str(error)) from error


def code(node: cst.CSTNode) -> str:
    """A node's text."""
    return _EMPTY.code_for_node(node)


def enclosing(tree: ast.AST, node: ast.AST) -> list[ast.AST]:
    """The nodes that hold ``node``, outermost first; found by position: it may be of another parse."""
    key = _key(node)
    path: list[ast.AST] = []

    def descend(at: ast.AST) -> bool:
        for child in ast.iter_child_nodes(at):
            if _key(child) == key and type(child) is type(node):
                return True
            if hasattr(child, "lineno") and not _covers(child, node):
                continue
            path.append(child)
            if descend(child):
                return True
            path.pop()
        return False

    return path if descend(tree) else []


def _key(node: ast.AST) -> tuple[int, int, int, int]:
    return tuple(
        getattr(node, name, 0) or 0 for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
    )  # type: ignore[return-value]


def _covers(outer: ast.AST, inner: ast.AST) -> bool:
    a, b = _key(outer), _key(inner)
    # Decorators stand before the line that a definition counts from.
    decorators = getattr(outer, "decorator_list", ())
    start = min([a[:2], *((d.lineno, d.col_offset) for d in decorators)])
    return start <= b[:2] and b[2:] <= a[2:]
