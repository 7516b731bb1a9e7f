"""Whether a private function can run on this version at all: whether any of its call sites was reached."""

from __future__ import annotations

import ast

from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
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
    """Where the module calls the function; empty where it also mentions it without calling."""
    key = ("call-sites", function.module.name)
    if key not in world.cache:
        world.cache[key] = _sites_by_name(function.module)
    found: dict[str, frozenset[Place]] = world.cache[key]
    return found.get(function.name, frozenset())


def _sites_by_name(module: Module) -> dict[str, frozenset[Place]]:
    """Every name that a module only ever calls, with the places; a string that is the name is a mention."""
    try:
        nodes = module.source.nodes
    except SourceFault:
        return {}
    calls: dict[str, set[Place]] = {}
    callees: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and (name := _name_of(node.func)):
            calls.setdefault(name, set()).add((module.path, node.lineno, node.col_offset))
            callees.add(id(node.func))
    for node in nodes:
        mentioned = node.value if isinstance(node, ast.Constant) else _name_of(node)
        if isinstance(mentioned, str) and id(node) not in callees:
            calls.pop(mentioned, None)
    return {name: frozenset(places) for name, places in calls.items()}


def _name_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None
