"""Attributes that hold one of several classes, chosen by a flag.

The classes all count, whatever an annotation says; which of them is there without any setting is what the
flag's default on that version decides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.classpaths import provider_class
from driftcheck.infer.unset import new_unset_world, unset_world
from driftcheck.infer.values import NONE, ClassValue, Instance, Scope, Value, options, truth
from driftcheck.infer.world import World
from driftcheck.rulesdb.contracts import Variant


@dataclass(frozen=True)
class Choice:
    """An attribute and the classes it may hold.

    ``default``: those that it holds without any setting (several, or none: that depends on more);
    ``assumed``: tests on what is installed that were taken to come out the usual way.
    """

    owner: ClassDef
    name: str
    classes: frozenset[ClassDef]
    default: frozenset[ClassDef]
    assumed: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether only some of the classes are there without any setting."""
        return bool(self.default) and self.default != self.classes


def classes_of(value: Value) -> frozenset[ClassDef] | None:
    """The classes of the objects that a value may be; None where one of them is not known."""
    found: set[ClassDef] = set()
    for option in options(value):
        if option == NONE:
            continue
        if not (isinstance(option, Instance) and isinstance(option.cls, ClassValue)):
            return None
        found.add(option.cls.definition)
    return frozenset(found)


def note_choice(world: World, owner: ClassDef, name: str, value: Value) -> None:
    """Remember that an attribute holds one of several classes, so that a use of the value finds the flag."""
    classes = classes_of(value)
    if world.unset is None and classes is not None and len(classes) > 1:
        world.cache.setdefault(("choice", classes), (owner, name))


def choice(world: World, value: Value) -> Choice | None:
    """The flag behind a value that may be of several classes; None where no attribute is known to choose."""
    classes = classes_of(value)
    if classes is None or ("choice", classes) not in world.cache:
        return None
    key = ("chosen", classes)
    if key not in world.cache:
        owner, name = world.cache["choice", classes]
        world.cache[key] = _stated(world, owner, name, classes) or _chosen(world, owner, name, classes)
    return world.cache[key]


def _chosen(world: World, owner: ClassDef, name: str, classes: frozenset[ClassDef]) -> Choice:
    from driftcheck.infer.attributes import lookup

    unset = unset_world(world)
    assert unset.unset is not None
    value = lookup(unset, Instance(ClassValue(owner)), name).value
    default = classes_of(value)
    known = default is not None and default <= classes
    default = default if known and default is not None else frozenset()
    return Choice(owner, name, classes, default, tuple(dict.fromkeys(unset.unset.assumed)))


def rests_on_environment(world: World, chosen: Choice) -> bool:
    """Whether environment variables alone decide, so that nothing a caller's code sets makes it differ."""
    tests = [
        (function, test)
        for function in chosen.owner.methods()
        if function.assigns(chosen.name)
        for test in deciding_tests(function.node.body, chosen.name)
    ]
    if not tests:
        return False
    from driftcheck.infer.evaluator import Evaluator

    fresh = new_unset_world(world)
    for function, test in tests:
        receiver: dict[str, Value] = {function.parameters[0].name: Instance(ClassValue(chosen.owner))}
        if truth(Evaluator(fresh, Scope(function.module, receiver, None, function)).eval(test)) is None:
            return False
    assert fresh.unset is not None
    return bool(fresh.unset.variables) and not fresh.unset.fields and not fresh.unset.assumed


def deciding_tests(body: list[ast.stmt], name: str) -> Iterator[ast.expr]:
    """The tests of the branches inside which ``self.<name>`` is assigned."""
    for statement in body:
        for node in nodes_of(statement):
            if isinstance(node, ast.If) and any(
                _stores(inner, name) for part in (node.body, node.orelse) for inner in part
            ):
                yield node.test


def _stores(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        for node in nodes_of(statement)
    )


def _stated(world: World, owner: ClassDef, name: str, classes: frozenset[ClassDef]) -> Choice | None:
    """The choice as a contract states it."""
    for contract in world.contracts.of(Variant):
        if contract.attribute == f"{owner.qualname}.{name}":
            default = provider_class(world, contract.default) if contract.default else None
            return Choice(owner, name, classes, frozenset({default}) if default is not None else frozenset())
    return None
