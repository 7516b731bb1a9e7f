"""What a test of its class says of an object whose class nobody states.

``if not supports_x(obj): raise`` where ``supports_x`` is declared to give ``TypeIs[X]``: from there on ``obj`` is
some class that has ``X`` among its bases. What it holds is not changed by that; it is noted beside it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.annotations import tested_types
from driftcheck.infer.frame import Env, Frame, path_of
from driftcheck.infer.values import FunctionValue, Value
from driftcheck.infer.world import World


@dataclass(frozen=True, slots=True)
class Narrowed(Value):
    """An object of some class below ``cls``, or what ``parts`` give when they are read on it one by one."""

    cls: ClassDef
    parts: tuple[str, ...] = ()


def narrow_by_test(frame: Frame, env: Env, subject: ast.expr, callee: Value) -> None:
    """Note what a function that tests for a class says of its argument where it answered yes."""
    path = path_of(subject)
    if path is not None and isinstance(callee, FunctionValue):
        cls = _tested_class(frame.world, callee)
        if cls is not None:
            env[_key(path)] = Narrowed(cls)


def _tested_class(world: World, function: FunctionValue) -> ClassDef | None:
    """The one class of the provider that a function is declared to test for."""
    definition = function.definition
    key = ("tested-class", definition)
    if key not in world.cache:
        try:
            returns = definition.header.returns
        except SourceFault:
            returns = None
        found = tested_types(world, definition.module, returns)
        only = found.pop() if len(found) == 1 else None
        world.cache[key] = only if only is not None and world.is_provider(only.module) else None
    return world.cache[key]


def narrowed_at(frame: Frame, node: ast.AST) -> Narrowed | None:
    """What tests say of a chain of names and attributes, or of the object that it starts from."""
    path, env = path_of(node), frame.env
    if path is None or env is None:
        return None
    parts: tuple[str, ...] = ()
    while path:
        found = env.get(_key(path))
        if found is not None:
            if not isinstance(found, Narrowed):
                return None
            return Narrowed(found.cls, found.parts + parts)
        path, _, last = path.rpartition(".")
        parts = (last, *parts)
    return None


def note_narrowed(frame: Frame, path: str, source: ast.expr | None) -> None:
    """Keep what is known of an object, or of a part of one, under the variable that it is assigned to."""
    if frame.sink is not None and frame.env is not None and isinstance(source, (ast.Name, ast.Attribute)):
        found = narrowed_at(frame, source)
        if found is not None:
            frame.env[_key(path)] = found


def _key(path: str) -> str:
    """The entry of the state: one that a new assignment to the path drops, and that is no attribute's."""
    return f"?{path}.()"
