"""Whether a private function can run on this version at all: whether any of its call sites was reached."""

from __future__ import annotations

import ast

from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.world import World

Place = tuple[str, int, int]


def is_private(function: FunctionDef) -> bool:
    """Whether only its own module is expected to call it, by its name."""
    return function.name.startswith("_") and not function.name.startswith("__")


def is_dead(world: World, function: FunctionDef, reached: set[Place]) -> bool:
    """Whether the module calls a private function in places that this version never comes to, and nowhere else.

    A function that is mentioned without being called (handed on, put into a table) may always run.
    """
    sites = _call_sites(world, function)
    return bool(sites) and reached.isdisjoint(sites)


def _call_sites(world: World, function: FunctionDef) -> frozenset[Place]:
    key = ("call-sites", function.module.name, function.name)
    if key not in world.cache:
        world.cache[key] = _find(function)
    found: frozenset[Place] = world.cache[key]
    return found


def _find(function: FunctionDef) -> frozenset[Place]:
    try:
        tree = function.module.source.tree
    except SourceFault:
        return frozenset()
    calls: set[Place] = set()
    callees: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _named(node.func, function.name):
            calls.add((function.module.path, node.lineno, node.col_offset))
            callees.add(id(node.func))
    for node in ast.walk(tree):
        if _named(node, function.name) and id(node) not in callees:
            return frozenset()
        if isinstance(node, ast.Constant) and node.value == function.name:
            return frozenset()
    return frozenset(calls)


def _named(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found) | ast.Attribute(attr=found):
            return found == name
    return False
