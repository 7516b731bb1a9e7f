"""Which ``__init__`` of the provider's runs when an object of the consumer's class is made."""

from __future__ import annotations

import ast

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.constructors import field_style
from driftcheck.infer.evaluator import Evaluator
from driftcheck.infer.hierarchy import class_members
from driftcheck.infer.overrides import Ancestry, live_method
from driftcheck.infer.values import ClassValue, External
from driftcheck.infer.world import World

_WITHOUT = ("abc.", "typing.", "typing_extensions.", "collections.abc.")
"""Libraries whose bases have no ``__init__`` of their own."""


class _NotKnown(Exception):
    """Something about the constructors cannot be told."""


def left_out(world: World, line: Ancestry) -> tuple[FunctionDef, list[FunctionDef]]:
    """The consumer's ``__init__`` that runs first, and the provider's that it never comes to.

    Raises LookupError where the first one is not the consumer's, or which of them run is not known.
    """
    running: set[ClassDef | External] = set()
    try:
        _run_from(world, line, 0, running)
    except _NotKnown:
        raise LookupError(line.cls.name) from None
    first = next(
        (c for c in line.order if isinstance(c, ClassDef) and class_members(world, c, "__init__")), None
    )
    own = live_method(world, first, "__init__") if first is not None else None
    if first is None or own is None or world.is_provider(first.module):
        raise LookupError(line.cls.name)
    skipped = [c for c in line.provider_classes(world) if c not in running]
    found = [live_method(world, cls, "__init__") for cls in skipped]
    return own, [function for function in found if function is not None]


def _run_from(world: World, line: Ancestry, start: int, running: set[ClassDef | External]) -> None:
    """Notes the class at or after ``start`` whose ``__init__`` is found first, and those that it calls."""
    for number in range(start, len(line.order)):
        owner = line.order[number]
        if isinstance(owner, External):
            if owner.path.startswith(_WITHOUT):
                continue
            running.update(line.order[number:])  # what it hands on to is not known
            return
        if not class_members(world, owner, "__init__"):
            if field_style(world, owner) is not None:
                running.add(owner)
                return
            continue
        if owner in running:
            return
        running.add(owner)
        function = live_method(world, owner, "__init__")
        if function is None:
            raise _NotKnown
        for at in _called(world, line, number, function):
            _run_from(world, line, at, running)
        return


def _called(world: World, line: Ancestry, number: int, function: FunctionDef) -> list[int]:
    """Where in the line the constructors that one calls are looked for."""
    found: list[int] = []
    for node in nodes_of(function.node):
        if not isinstance(node, ast.Attribute) or node.attr != "__init__":
            continue
        match node.value:
            case ast.Call(func=ast.Name(id="super"), args=[]):
                found.append(number + 1)
            case ast.Call(func=ast.Name(id="super"), args=[named, *_]):
                found.append(_place(world, line, function, named) + 1)
            case named:
                found.append(_place(world, line, function, named))
    return found


def _place(world: World, line: Ancestry, function: FunctionDef, named: ast.expr) -> int:
    value = Evaluator(world, world.module_scope(function.module)).eval(named)
    owner = value.definition if isinstance(value, ClassValue) else value
    if owner not in line.order:
        raise _NotKnown
    return line.order.index(owner)
