"""None, where the parameter may be None and the provider's own callers pass it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.fixes.values.needed import Derived, Needed
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import NONE, options

MAX_FILES = 40
"""Provider files that are searched for a call; a name in more of them is too common to tell anything."""


def none_passed(needed: Needed, positional: bool = False) -> Iterator[Derived]:
    """None with the place of a provider's call that passes it.

    Without such a place, an annotation that admits None is enough for what has just come into being
    (``positional``): nobody can have passed anything else before.
    """
    if NONE not in options(needed.declared) and not admits_none(needed.parameter.annotation):
        return
    place = None if positional else _passing_none(needed)
    if place is not None or positional:
        why = f"as {place} does" if place else "which it takes"
        yield Derived("None", why, ("the release passes something else at other places",))


def admits_none(annotation: ast.expr | None) -> bool:
    """Whether an annotation names None as one of its alternatives, whatever the others are."""
    match annotation:
        case ast.Constant(value=None):
            return True
        case ast.Constant(value=str(text)):
            try:
                return admits_none(ast.parse(text.strip(), mode="eval").body)
            except (SyntaxError, ValueError, RecursionError):
                return False
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return admits_none(left) or admits_none(right)
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional")):
            return True
        case ast.Subscript(
            value=ast.Name(id="Union") | ast.Attribute(attr="Union"), slice=ast.Tuple(elts=elts)
        ):
            return any(admits_none(one) for one in elts)
    return False


def _passing_none(needed: Needed) -> str | None:
    index = needed.job.view.world.provider
    last = needed.signature.symbol.removesuffix(".__init__").rpartition(".")[2]
    paths = index.files_mentioning(f"{last}(")
    if len(paths) > MAX_FILES:
        return None
    names = [p.name for p in needed.signature.parameters]
    position = names.index(needed.name) if needed.parameter.kind in ("positional", "ordinary") else -1
    for path in paths:
        module = index.module(index.module_name(path))
        if module is None:
            continue
        try:
            tree = module.source.tree
        except SourceFault:
            continue
        for node in nodes_of(tree):
            if isinstance(node, ast.Call) and _called(node) == last and _is_none(node, needed.name, position):
                return f"{path}:{node.lineno}"
    return None


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_none(call: ast.Call, name: str, position: int) -> bool:
    values = [keyword.value for keyword in call.keywords if keyword.arg == name]
    if 0 <= position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args):
        values.append(call.args[position])
    return any(isinstance(value, ast.Constant) and value.value is None for value in values)
