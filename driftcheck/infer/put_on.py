"""What the consumer itself puts on objects of the provider, under a name that the provider does not know."""

from __future__ import annotations

import ast
import re

from driftcheck.index.module import Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import UNKNOWN, ClassValue, Value, union
from driftcheck.infer.world import World


def put_on(world: World, name: str) -> Value:
    """The classes that the consumer stores under an attribute's name; unknown where it stores anything else."""
    key = ("put-on", name)
    if key not in world.cache:
        world.cache[key] = UNKNOWN
        world.cache[key] = _put_on(world, name)
    return world.cache[key]


def _put_on(world: World, name: str) -> Value:
    stored = re.compile(rf"\.{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)|[\"']{re.escape(name)}[\"']".encode())
    index = world.consumer
    paths = [path for path in index.files_mentioning(name) if stored.search(index.peek(path))]
    if not paths or world.provider.files_mentioning(name):
        return UNKNOWN
    found: list[Value] = []
    for path in paths:
        module = index.module(index.module_name(path))
        if module is not None:
            found += _stored(world, module, name)
    return union(found) if found else UNKNOWN


def _stored(world: World, module: Module, name: str) -> list[Value]:
    """What one module stores under the name; unknown too for a string that says it."""
    from driftcheck.infer.evaluator import Evaluator

    found: list[Value] = []
    try:
        nodes = module.source.nodes
    except SourceFault:
        return [UNKNOWN]
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value) if any(_is_named(t, name) for t in targets):
                held = Evaluator(world, world.module_scope(module)).eval(value)
                known = isinstance(value, ast.Name) and isinstance(held, ClassValue)
                found.append(held if known else UNKNOWN)
            case ast.Attribute(attr=attr, ctx=ast.Store()) if attr == name:
                if not _is_assigned(nodes, node):
                    found.append(UNKNOWN)
            case ast.Constant(value=str(text)) if text == name:
                found.append(UNKNOWN)
    return found


def _is_named(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == name


def _is_assigned(nodes: list[ast.AST], attribute: ast.Attribute) -> bool:
    """Whether a stored attribute is the target of a plain assignment, not of a loop, a ``with`` or the like."""
    return any(isinstance(node, ast.Assign) and attribute in node.targets for node in nodes)
