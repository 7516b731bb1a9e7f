"""Spelling literals as most code does."""

from __future__ import annotations

import ast


def spelled(node: ast.expr) -> str:
    """The expression's code; a string in double quotes where that needs no escape more."""
    text = ast.unparse(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and text[0] == "'" and '"' not in text:
        return f'"{text[1:-1]}"'
    return text
