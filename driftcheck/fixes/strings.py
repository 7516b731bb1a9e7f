"""Parts of string literals."""

from __future__ import annotations

import ast

import libcst as cst

from driftcheck.fixes.edits import position
from driftcheck.fixes.slices import Unparsable, expression, region
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import Source
from driftcheck.model import Span


def replaced_text(source: Source, node: ast.AST, part: str) -> Span | None:
    """Where ``part`` stands in the one plain string inside a node; None where it is not written so."""
    found = [
        inner
        for inner in nodes_of(node)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and part in inner.value
    ]
    if len(found) != 1:
        return None
    start, end = region(source, found[0])
    text = source.text[start:end]
    try:
        literal = expression(text)
    except Unparsable:
        return None
    if not isinstance(literal, cst.SimpleString) or literal.raw_value.count(part) != 1:
        return None
    at = start + len(literal.prefix) + len(literal.quote) + literal.raw_value.index(part)
    line, column = position(source, at)
    return Span(line, column, line, column + len(part))
