"""How deep code is nested: an operator chain of thousands is a valid file that no one can follow."""

from __future__ import annotations

import ast

from driftcheck.index.nodes import children_of
from driftcheck.index.source import Source, SourceFault

MAX_DEPTH = 400
"""Levels of a syntax tree; people write fewer than 40."""


def refuse_too_deep(source: Source) -> None:
    """Raises SourceFault for a file with code nested deeper than the limit, and for one that does not parse."""
    level: list[ast.AST] = [source.tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in children_of(node)]
        if not level:
            return
    line = min((node.lineno for node in level if isinstance(node, ast.stmt | ast.expr)), default=1)
    raise SourceFault(f"nested more than {MAX_DEPTH} levels deep", line)
