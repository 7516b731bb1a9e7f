"""Calls on objects that the calling class has made itself: no subclass of the consumer's is ever among them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from driftcheck.index.classes import ClassDef
from driftcheck.index.module import Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.callsites import Site
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.stores import stored_values
from driftcheck.infer.subclasses import put_from_outside, subclasses
from driftcheck.infer.values import NONE, ClassValue, Instance, Value
from driftcheck.infer.world import World


def is_made_here(world: World, site: Site) -> bool:
    """Whether a site calls ``self.a.m()`` where the provider alone fills ``a``, with objects of classes it names.

    Neither the consumer nor code elsewhere puts anything there, and none of those classes is replaced.
    """
    function = site.function
    if function is None or function.owner is None or not isinstance(site.node, ast.Attribute):
        return False
    match site.node.value:
        case ast.Attribute(value=ast.Name(id=base), attr=name):
            if not function.parameters or function.parameters[0].name != base:
                return False
            key = ("made-here", function.owner, name)
            if key not in world.cache:
                world.cache[key] = _is_filled(world, function.owner, name)
            return bool(world.cache[key])
    return False


def _is_filled(world: World, owner: ClassDef, name: str) -> bool:
    values = [v for v in _stored(world, owner, name) if v != NONE]
    if not values or not all(_is_made(value) for value in values):
        return False
    if put_from_outside(world, name) or _is_put(world, owner, name):
        return False
    if any(below.assigns(name) for below in subclasses(world, world.provider, owner)):
        return False
    return not any(_is_put(world, None, v.cls.definition.name) for v in values)  # type: ignore[attr-defined]


def _is_made(value: Value) -> bool:
    return isinstance(value, Instance) and value.exact and isinstance(value.cls, ClassValue)


def _stored(world: World, owner: ClassDef, name: str) -> Iterator[Value]:
    for cls in mro(world, owner).order:
        if isinstance(cls, ClassDef):
            for function in cls.methods():
                if function.assigns(name):
                    yield from stored_values(world, owner, function, name)


def _is_put(world: World, owner: ClassDef | None, name: str) -> bool:
    """Whether the consumer may store the attribute on something other than objects that are no ``owner``."""
    stored = re.compile(rf"\.{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)|[\"']{re.escape(name)}[\"']".encode())
    index = world.consumer
    for path in index.files_mentioning(name):
        if not stored.search(index.peek(path)):
            continue
        module = index.module(index.module_name(path))
        if module is None or owner is None or not _only_on_others(world, module, owner, name):
            return True
    return False


def _only_on_others(world: World, module: Module, owner: ClassDef, name: str) -> bool:
    """Whether all that a module stores under the name is on ``self`` in classes that are not below ``owner``."""
    try:
        nodes = module.source.nodes
    except SourceFault:
        return False
    asked = sum(_asks(node, name) for node in nodes)
    if asked != sum(isinstance(node, ast.Constant) and node.value == name for node in nodes):
        return False
    own = 0
    for binding in module.functions_and_classes:
        cls = module.class_of(binding) if binding.kind == "class" else None
        line = mro(world, cls) if cls is not None else None
        if cls is None or line is None or not line.complete or owner in line.order:
            continue
        for function in cls.methods():
            own += sum(_stores(node, name, "self") for node in function.nodes)
    return own == sum(_stores(node, name, None) for node in nodes)


def _asks(node: ast.AST, name: str) -> bool:
    """Whether a name in a string is only looked for."""
    match node:
        case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[_, ast.Constant(value=value), *_]):
            return value == name
    return False


def _stores(node: ast.AST, name: str, base: str | None) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == name
        and isinstance(node.ctx, ast.Store)
        and (base is None or (isinstance(node.value, ast.Name) and node.value.id == base))
    )
