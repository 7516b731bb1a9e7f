"""Objects that the consumer gives another class: ``thing.__class__ = Other``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.frame import Env, forget, path_of
from driftcheck.infer.values import UNKNOWN, ClassValue, Instance, Value
from driftcheck.infer.world import World


def reclass(env: Env, base: ast.expr, cls: Value) -> None:
    """Make a variable or attribute hold an object of the class that its object was given."""
    path = path_of(base)
    if path is not None:
        env[path] = Instance(cls, True) if isinstance(cls, ClassValue) else UNKNOWN
        forget(env, path)


def is_reclassed(world: World, attribute: str) -> bool:
    """Whether the consumer gives what some attribute of that name holds another class."""
    names: frozenset[str] | None = world.cache.get("reclassed")
    if names is None:
        world.cache["reclassed"] = frozenset()
        names = world.cache["reclassed"] = frozenset(_reclassed(world))
    return attribute in names


def _reclassed(world: World) -> Iterator[str]:
    """The attributes whose objects are given another class, also by way of a variable of the same file."""
    index = world.consumer
    for path in index.files_mentioning("__class__"):
        module = index.module(index.module_name(path))
        if module is None:
            continue
        try:
            nodes = module.source.nodes
        except SourceFault:
            continue
        for node in nodes:
            match node:
                case ast.Attribute(value=ast.Attribute(attr=name), attr="__class__", ctx=ast.Store()):
                    yield name
                case ast.Attribute(value=ast.Name(id=variable), attr="__class__", ctx=ast.Store()):
                    yield from _assigned_from(nodes, variable)


def _assigned_from(nodes: list[ast.AST], variable: str) -> Iterator[str]:
    """The attributes that a variable is set from, read plainly or by ``getattr``."""
    for node in nodes:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ) if name == variable:
                for inner in nodes_of(value):
                    match inner:
                        case ast.Attribute(attr=attribute):
                            yield attribute
                        case ast.Call(
                            func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(attribute)), *_]
                        ):
                            yield attribute
