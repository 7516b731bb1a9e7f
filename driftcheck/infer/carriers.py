"""Where the value of a field goes: copies on attributes of other objects, also through constructors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.places import places_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.constructors import field_style
from driftcheck.infer.declared import declared_value, receiver_in
from driftcheck.infer.evaluator import Evaluator
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.states import method_of
from driftcheck.infer.values import UNKNOWN, ClassValue, FunctionValue, Instance, Value, options
from driftcheck.infer.world import World

MAX_FILES = 40
"""A field whose name more files read is not followed."""
MAX_COPIES = 3
"""How many objects on a value is followed."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """An attribute of a class's objects that holds the value."""

    cls: ClassDef
    attribute: str


@dataclass(frozen=True, slots=True)
class Reader:
    """A provider's function with the expressions in it that give the value."""

    function: FunctionDef
    nodes: tuple[ast.expr, ...]


def readers_of(world: World, cls: ClassDef, attribute: str) -> list[Reader]:
    """Every function that reads the field, or an attribute that it was copied to."""
    found: list[Reader] = []
    seen = {Carrier(cls, attribute)}
    pending = [Carrier(cls, attribute)]
    for _ in range(MAX_COPIES):
        following: list[Carrier] = []
        for carrier in pending:
            for reader in _readers(world, carrier):
                found.append(reader)
                for copy in _copies(world, reader):
                    if copy not in seen:
                        seen.add(copy)
                        following.append(copy)
        pending = following
    return found


def _readers(world: World, carrier: Carrier) -> Iterator[Reader]:
    for module in _modules_reading(world, carrier.attribute):
        for place in places_of(module, re.compile(rf"\.\s*{re.escape(carrier.attribute)}\b")):
            if place.function is None:
                continue
            nodes = tuple(_reads(world, place.function, carrier))
            if nodes:
                yield Reader(place.function, nodes)


def _modules_reading(world: World, attribute: str) -> list[Module]:
    index = world.provider
    pattern = re.compile(rf"\.{re.escape(attribute)}\b".encode())
    paths = [p for p in index.files_mentioning(attribute) if pattern.search(index.peek(p))]
    if len(paths) > MAX_FILES:
        return []
    return [m for m in (index.module(index.module_name(p)) for p in paths) if m is not None]


def _reads(world: World, function: FunctionDef, carrier: Carrier) -> Iterator[ast.expr]:
    """Reads of the attribute in a function, and of the names that it is assigned to."""
    try:
        node = function.node
    except (SourceFault, AssertionError, IndexError):
        return
    value = FunctionValue(function, receiver_in(world, function))
    reads: list[ast.expr] = []
    names: list[ast.Name] = []
    assigned: list[ast.Assign] = []
    for inner in nodes_of(node):
        if (
            isinstance(inner, ast.Attribute)
            and inner.attr == carrier.attribute
            and isinstance(inner.ctx, ast.Load)
        ):
            if _is_of(world, declared_value(world, value, inner.value), carrier.cls):
                reads.append(inner)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            names.append(inner)
        elif isinstance(inner, ast.Assign):
            assigned.append(inner)
    aliases = {t.id for s in assigned if s.value in reads for t in s.targets if isinstance(t, ast.Name)}
    yield from reads
    yield from (name for name in names if name.id in aliases)


def _is_of(world: World, value: Value, cls: ClassDef) -> bool:
    """Whether a value is an object of a class, one below it or one above it that may be it."""
    for option in options(value):
        match option:
            case Instance(cls=ClassValue(definition=other)):
                if cls in mro(world, other).order or other in mro(world, cls).order:
                    return True
    return False


def _copies(world: World, reader: Reader) -> Iterator[Carrier]:
    """The attributes that a function copies the value to."""
    function = reader.function
    for inner in nodes_of(function.node):
        match inner:
            case ast.Assign(targets=targets, value=value) if value in reader.nodes:
                for target in targets:
                    if (
                        _on_self(target, function)
                        and function.owner is not None
                        and isinstance(target, ast.Attribute)
                    ):
                        yield Carrier(function.owner, target.attr)
            case ast.Call(args=args, keywords=keywords):
                for number, argument in enumerate(args):
                    if argument in reader.nodes:
                        yield from _through(world, function, inner, number, None)
                for keyword in keywords:
                    if keyword.value in reader.nodes and keyword.arg:
                        yield from _through(world, function, inner, None, keyword.arg)


def _on_self(target: ast.expr, function: FunctionDef) -> bool:
    first = function.parameters[0].name if function.parameters else ""
    return (
        isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == first
    )


def _through(
    world: World, function: FunctionDef, call: ast.Call, number: int | None, name: str | None
) -> Iterator[Carrier]:
    """The attributes that a constructor puts one of its arguments in."""
    callee: Value = UNKNOWN
    if isinstance(call.func, (ast.Name, ast.Attribute)):
        callee = Evaluator(world, world.module_scope(function.module)).eval(call.func)
    if not isinstance(callee, ClassValue):
        return
    cls = callee.definition
    constructor = method_of(world, cls, "__init__")
    if constructor is None:
        if name is not None and field_style(world, cls) is not None:
            yield Carrier(cls, name)
        return
    plain = [p.name for p in constructor.parameters if p.kind in ("positional", "ordinary")][1:]
    parameter = (
        name if name is not None else plain[number] if number is not None and number < len(plain) else None
    )
    for target in attributes_from(constructor, parameter):
        yield Carrier(cls, target)


def attributes_from(constructor: FunctionDef, parameter: str | None) -> list[str]:
    """The attributes of ``self`` that a constructor gives a parameter's value, ``or`` something else."""
    try:
        node = constructor.node
    except (SourceFault, AssertionError, IndexError):
        return []
    found: list[str] = []
    for inner in nodes_of(node):
        target, value = None, None
        if isinstance(inner, ast.Assign) and len(inner.targets) == 1:
            target, value = inner.targets[0], inner.value
        elif isinstance(inner, ast.AnnAssign):
            target, value = inner.target, inner.value
        if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or):
            value = value.values[0]
        if target is not None and isinstance(value, ast.Name) and value.id == parameter:
            if isinstance(target, ast.Attribute) and _on_self(target, constructor):
                found.append(target.attr)
    return found
