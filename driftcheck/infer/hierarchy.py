"""Bases, method resolution order, and members of classes."""

from __future__ import annotations

import abc
import builtins
import collections
import collections.abc
import dataclasses
import enum
import typing
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import only_stores
from driftcheck.index.module import Binding
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    External,
    Missing,
    Scope,
    Union,
    Value,
)
from driftcheck.infer.world import World

_STANDARD = {
    module.__name__: module
    for module in (abc, builtins, collections, collections.abc, dataclasses, enum, typing)
}


@dataclass(frozen=True, slots=True)
class Mro:
    """A class's ancestors in order, itself first. ``complete``: every base was resolved."""

    order: tuple[ClassDef | External, ...]
    complete: bool


def base_values(world: World, cls: ClassDef) -> list[Value]:
    """What the expressions of a class's base list evaluate to."""
    return world.remember(("bases", cls), lambda: _base_values(world, cls), [UNKNOWN])


def _base_values(world: World, cls: ClassDef) -> list[Value]:
    from driftcheck.infer.evaluator import Evaluator

    try:
        expressions = cls.bases
    except SourceFault:
        return [UNKNOWN]
    evaluator = Evaluator(world, class_scope(world, cls))
    return [evaluator.eval(base) for base in expressions]


def class_scope(world: World, cls: ClassDef) -> Scope:
    """The scope in which a class statement stands."""
    scope = world.cache.get(("defining-scope", cls))
    return scope if isinstance(scope, Scope) else world.module_scope(cls.module)


def mro(world: World, cls: ClassDef) -> Mro:
    """The method resolution order; bases of other libraries stand in it as External."""
    return world.remember(("mro", cls), lambda: _linearise(world, cls), Mro((cls,), False))


def _linearise(world: World, cls: ClassDef) -> Mro:
    complete = True
    lines: list[list[ClassDef | External]] = []
    direct: list[ClassDef | External] = []
    for base in base_values(world, cls):
        if isinstance(base, ClassValue):
            above = mro(world, base.definition)
            complete &= above.complete
            lines.append(list(above.order))
            direct.append(base.definition)
        elif isinstance(base, External):
            lines.append([base])
            direct.append(base)
        else:
            complete = False
    merged: list[ClassDef | External] = [cls]
    lines.append(direct)
    while lines := [line for line in lines if line]:
        head = next(
            (line[0] for line in lines if not any(line[0] in other[1:] for other in lines)), lines[0][0]
        )
        merged.append(head)
        lines = [[c for c in line if c != head] if line[0] == head else line for line in lines]
        if len(merged) > 200:
            return Mro(tuple(merged), False)
    return Mro(tuple(merged), complete)


def may_stand_before(world: World, line: Mro, owner: ClassDef) -> bool:
    """Whether a base of a library that nothing is known of may override what a class of the provider has.

    It may itself be below ``owner``; then it stands before it in the order, wherever it stands here. Not so
    where ``owner`` is named before it in one list of bases, which Python would refuse.
    """
    return world.is_provider(owner.module) and any(
        not _named_before(world, line, owner, stranger) for stranger in _strangers(world, line)
    )


def _strangers(world: World, line: Mro) -> set[External]:
    """Bases of the consumer's classes that are another library's and that no rule and no standard module has."""
    return {
        base
        for cls in line.order
        if isinstance(cls, ClassDef) and not world.is_provider(cls.module)
        for base in base_values(world, cls)
        if isinstance(base, External)
        and base.path not in world.facts.bases
        and base.path.rpartition(".")[0] not in _STANDARD
    }


def _named_before(world: World, line: Mro, owner: ClassDef, other: External) -> bool:
    for cls in line.order:
        if isinstance(cls, ClassDef):
            bases = [v.definition if isinstance(v, ClassValue) else v for v in base_values(world, cls)]
            if owner in bases and other in bases:
                return bases.index(owner) < bases.index(other)
    return False


def external_members(world: World, base: External) -> frozenset[str] | None:
    """Names that instances of a library's class have; None where they are not known."""
    fact = world.facts.bases.get(base.path)
    if fact is not None and (fact.members or fact.constructor == "inherited"):
        return None if fact.open else frozenset(fact.members) | frozenset(dir(object))
    module, _, name = base.path.rpartition(".")
    standard = getattr(_STANDARD.get(module), name, None)
    if isinstance(standard, type):
        return frozenset(dir(standard)).union(*[vars(cls) for cls in standard.__mro__])
    return None


def is_subclass(world: World, cls: ClassDef, other: ClassDef | External) -> bool | None:
    """Whether ``cls`` has ``other`` in its order; None where a base is unknown."""
    line = mro(world, cls)
    if other in line.order:
        return True
    return False if line.complete else None


PROTOCOLS = ("typing.Protocol", "typing_extensions.Protocol")


def is_protocol(world: World, cls: ClassDef) -> bool:
    """Whether a class only describes what others have: it names ``Protocol`` among its own bases."""
    return any(isinstance(base, External) and base.path in PROTOCOLS for base in base_values(world, cls))


def is_enum(world: World, cls: ClassDef) -> bool:
    return any(isinstance(c, External) and c.path.startswith("enum.") for c in mro(world, cls).order)


def class_members(world: World, cls: ClassDef, name: str) -> list[Binding]:
    """The bindings of a name in one class's body that can be in force, a property's setter passed over."""
    bindings = cls.members.get(name)
    if not bindings:
        return []
    if len(bindings) > 1:  # a setter beside its getter comes last, and is not what reading comes to
        read = [b for b in bindings if b.kind != "def" or not only_stores(cls.module.function_of(b, cls))]
        bindings = read or bindings
    return world.alive(cls.module, bindings)


def resolved(value: Value) -> list[ClassDef]:
    """The class definitions that a value may be."""
    options = value.options if isinstance(value, Union) else (value,)
    return [v.definition for v in options if isinstance(v, ClassValue)]


def is_missing(value: Value) -> bool:
    return isinstance(value, Missing)
