"""Every node below one, as a list: what ``ast.walk`` gives, in its order, in a third of the time.

Bodies are walked far more often than they are parsed, so this is most of what a run costs.
"""

from __future__ import annotations

import ast


def nodes_of(root: ast.AST) -> list[ast.AST]:
    """The node and all below it, breadth first."""
    found: list[ast.AST] = [root]
    add = found.append
    for node in found:  # grows while it is walked
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
            elif isinstance(value, ast.AST):
                add(value)
    return found


def children_of(node: ast.AST) -> list[ast.AST]:
    """The nodes just below one, in order."""
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found
