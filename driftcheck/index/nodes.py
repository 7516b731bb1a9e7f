"""Every node below one, as a list: what ``ast.walk`` gives, in its order, in a fraction of the time.

Bodies are walked far more often than they are parsed, so this is most of what a run costs. The context
of a name (``Load``, ``Store``, ``Del``) is read on the name and is no node of its own here.
"""

from __future__ import annotations

import ast

_PLAIN = frozenset({
    "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "lineno", "module", "n",
    "s", "simple", "tag", "type_comment",
})  # fmt: skip
"""Fields that never hold a node worth a visit, whatever the class."""


def _fields(cls: type[ast.AST]) -> tuple[str, ...]:
    return () if issubclass(cls, ast.Constant) else tuple(f for f in cls._fields if f not in _PLAIN)


_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def nodes_of(root: ast.AST) -> list[ast.AST]:
    """The node and all below it, breadth first."""
    found: list[ast.AST] = [root]
    add = found.append
    known = _FIELDS
    for node in found:  # grows while it is walked
        fields = known.get(node.__class__)
        if fields is None:
            fields = known[node.__class__] = _fields(node.__class__)
        for field in fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        add(item)
            elif isinstance(value, ast.AST):
                add(value)
    return found


_SUITES = ("body", "orelse", "finalbody", "handlers", "cases")


def statements_of(root: ast.AST) -> list[ast.stmt]:
    """Every statement below a node, breadth first, those of functions and classes inside included.

    A fraction of what :func:`nodes_of` visits, for questions about statements alone.
    """
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [root]
    for node in waiting:  # grows while it is walked
        for suite in _SUITES:
            inner = getattr(node, suite, None)
            if inner.__class__ is list:
                waiting += inner
        if isinstance(node, ast.stmt) and node is not root:
            found.append(node)
    return found


def children_of(node: ast.AST) -> list[ast.AST]:
    """The nodes just below one, in order."""
    found: list[ast.AST] = []
    fields = _FIELDS.get(node.__class__)
    if fields is None:
        fields = _FIELDS[node.__class__] = _fields(node.__class__)
    for field in fields:
        value = getattr(node, field, None)
        if value.__class__ is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found
