"""The lines that a traceback may name for a finding."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

from driftcheck.sources.tree import Tree

_HEADED = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.Try, ast.Match)


def claim_lines(consumer: Tree, path: str, line: int, column: int | None, end_line: int) -> tuple[int, int]:
    """First and last line of the innermost call around a place, else of its statement, else of itself."""
    try:
        tree = _parsed(consumer.read(path))
    except OSError:
        tree = None
    if tree is None:
        return line, end_line
    best: ast.AST | None = None
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Call, ast.stmt)) or not _holds(node, line, column, end_line):
            continue
        if best is None or _rank(node) < _rank(best):
            best = node
    if best is None:
        return line, end_line
    first = best.lineno  # type: ignore[attr-defined]
    if isinstance(best, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return first, max(end_line, line)
    if isinstance(best, _HEADED):
        return first, max(line, end_line)
    return first, best.end_lineno or end_line  # type: ignore[attr-defined]


def _holds(node: ast.Call | ast.stmt, line: int, column: int | None, end_line: int) -> bool:
    last = node.end_lineno or node.lineno
    if not (node.lineno <= line and end_line <= last):
        return False
    if column is None or not isinstance(node, ast.Call):
        return True
    # ast counts columns in bytes from 0; near enough to tell calls on one line apart.
    return (node.lineno, node.col_offset + 1) <= (line, column)


def _rank(node: ast.AST) -> tuple[int, int]:
    """Calls before statements, smaller before larger."""
    size = (node.end_lineno or 0) - node.lineno  # type: ignore[attr-defined]
    return (0 if isinstance(node, ast.Call) else 1, size)


@lru_cache(8)
def _parsed(source: bytes) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None
