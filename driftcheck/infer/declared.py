"""The type of an expression by declarations alone: parameters, ``self``, attributes."""

from __future__ import annotations

import ast

from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.annotations import annotated
from driftcheck.infer.attributes import lookup
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    Value,
    options,
    union,
    without_none,
)
from driftcheck.infer.world import World


def receiver_in(world: World, function: FunctionDef) -> Value | None:
    """What ``self`` is inside a method; None in a function and a static method."""
    from driftcheck.infer.callables import kind_of

    if function.owner is None:
        return None
    kind = kind_of(world, function)
    if kind == "static":
        return None
    return ClassValue(function.owner) if kind == "class" else Instance(ClassValue(function.owner))


SMALL_BODY = 4_000
"""A longer body is not interpreted to find out what one of its calls calls."""


def called_method(world: World, value: FunctionValue, call: ast.Call) -> Value:
    """What a method call in a body calls: by declared types, by interpretation where the body is small."""
    if not isinstance(call.func, ast.Attribute):
        return UNKNOWN
    receiver = declared_value(world, value, call.func.value)
    found = [lookup(world, option, call.func.attr).value for option in options(receiver)]
    if any(isinstance(one, FunctionValue) for one in found) or len(value.definition.text) > SMALL_BODY:
        return union(found)
    from driftcheck.infer.run import callee_in

    return callee_in(world, value, call)


def declared_value(world: World, value: FunctionValue, node: ast.expr) -> Value:
    """The value of ``self`` or an annotated parameter of a function, and of attributes read from it."""
    match node:
        case ast.Attribute(value=base, attr=name):
            inner = [lookup(world, o, name).value for o in options(declared_value(world, value, base))]
            return without_none(union(inner))
        case ast.Name(id=name):
            for number, parameter in enumerate(value.definition.parameters):
                if parameter.name == name:
                    if number == 0 and value.receiver is not None:
                        return value.receiver
                    return without_none(annotated(world, value.definition.module, parameter.annotation))
            return _assigned_once(world, value, name)
    return UNKNOWN


def _assigned_once(world: World, value: FunctionValue, name: str) -> Value:
    """A local name's value where one statement binds it to another declared expression."""
    key = ("declared-name", value.definition, name)
    with world.guarded(key) as free:
        if not free:
            return UNKNOWN
        sources = [
            s.value
            for s in nodes_of(value.definition.node)
            if isinstance(s, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in s.targets)
        ]
        if len(sources) == 1 and isinstance(sources[0], (ast.Attribute, ast.Name)):
            return declared_value(world, value, sources[0])
    return UNKNOWN
