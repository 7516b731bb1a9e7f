"""What a class of the consumer overrides of the provider's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef, is_variant
from driftcheck.index.functions import FunctionDef
from driftcheck.index.mentions import mentions
from driftcheck.index.module import Binding, Module
from driftcheck.index.places import places_of
from driftcheck.infer.hierarchy import class_members, mro
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import ClassValue, External, FunctionValue, Instance
from driftcheck.infer.world import World


@dataclass(frozen=True)
class Ancestry:
    """A class with its ancestors in order. ``assumed``: the base that a name alone stands for."""

    cls: ClassDef
    order: tuple[ClassDef | External, ...]
    complete: bool
    assumed: ClassDef | None = None

    def provider_classes(self, world: World) -> list[ClassDef]:
        return [c for c in self.order if isinstance(c, ClassDef) and world.is_provider(c.module)]


def ancestry(world: World, cls: ClassDef, assumed: ClassDef | None = None) -> Ancestry:
    """The ancestors of a class; those of an assumed base follow its own."""
    line = mro(world, cls)
    if assumed is None:
        return Ancestry(cls, line.order, line.complete)
    above = mro(world, assumed)
    extra = tuple(c for c in above.order if c not in line.order)
    return Ancestry(cls, line.order + extra, above.complete, assumed)


@dataclass(frozen=True)
class Override:
    """A member of a consumer class that stands before one of a provider class.

    ``function`` and ``base_function`` are None where the member is no ``def``.
    """

    line: Ancestry
    name: str
    owner: ClassDef
    binding: Binding
    function: FunctionDef | None
    base: ClassDef
    base_function: FunctionDef | None


def own_members(world: World, line: Ancestry) -> Iterator[tuple[str, ClassDef, Binding]]:
    """The members that the consumer's classes put before the first provider class, nearest first."""
    seen: set[str] = set()
    for owner in line.order:
        if isinstance(owner, External):
            continue
        if world.is_provider(owner.module):
            return
        for name in owner.members:
            bindings = class_members(world, owner, name)
            if bindings and name not in seen:
                seen.add(name)
                yield name, owner, bindings[-1]


def overrides(world: World, line: Ancestry) -> Iterator[Override]:
    """Every member that overrides one of the provider's."""
    for name, owner, binding in own_members(world, line):
        base = provider_member(world, line, name)
        if base is None:
            continue
        function = live_method(world, owner, name)
        yield Override(line, name, owner, binding, function, base, live_method(world, base, name))


def live_method(world: World, owner: ClassDef, name: str) -> FunctionDef | None:
    """The ``def`` of that name in a class body that is in force; None where none or several may be."""
    bindings = class_members(world, owner, name)
    if not bindings or any(binding.kind != "def" for binding in bindings):
        return None
    functions = [owner.module.function_of(binding, owner) for binding in bindings]
    functions = [function for function in functions if not is_variant(function)]
    return functions[0] if len(functions) == 1 else None


def provider_member(world: World, line: Ancestry, name: str) -> ClassDef | None:
    """The nearest provider class that has a member of that name in its body."""
    for owner in line.order:
        if (
            isinstance(owner, ClassDef)
            and world.is_provider(owner.module)
            and class_members(world, owner, name)
        ):
            return owner
    return None


def as_called(
    world: World, function: FunctionDef, cls: ClassDef, through_class: bool = False
) -> Signature | None:
    """The signature that callers of ``x.name`` meet, ``x`` an object of ``cls`` or the class."""
    from driftcheck.infer.callables import kind_of, signature_of

    kind = kind_of(world, function)
    if kind in ("property", "unknown"):
        return None
    if kind == "static":
        return signature_of(world, FunctionValue(function, None, None, True))
    if kind == "method" and through_class:
        return signature_of(world, FunctionValue(function))
    return signature_of(world, FunctionValue(function, Instance(ClassValue(cls))))


def definers(world: World, name: str) -> list[ClassDef | None]:
    """The provider classes whose body defines a method of that name; None stands for a plain function."""
    key = ("definers", name)
    if key not in world.cache:
        found: list[ClassDef | None] = []
        pattern = re.compile(rf"\bdef\s+{re.escape(name)}\b")
        for path in mentions(world.provider).files(name):
            module = world.provider.module(world.provider.module_name(path))
            if module is None:
                continue
            functions = [place.function for place in places_of(module, pattern)]
            found += [f.owner for f in functions if f is not None and f.name == name]
        world.cache[key] = found
    return world.cache[key]


def assumed_class(world: World, module: Module, name: str) -> ClassDef | None:
    """The provider class that a bare name stands for in a file that gets it by means inference cannot follow.

    Only one class may have the name among the provider's modules that the file mentions by name.
    """
    if not name[:1].isupper():
        return None
    key = ("assumed", module.name, name)
    if key not in world.cache:
        world.cache[key] = _assumed_class(world, module, name)
    return world.cache[key]


def _assumed_class(world: World, module: Module, name: str) -> ClassDef | None:
    found: list[ClassDef] = []
    text = module.source.text
    for path in mentions(world.provider).files(name):
        dotted = world.provider.module_name(path)
        if not re.search(rf"(?<![\w.]){re.escape(dotted)}(?![\w.])", text):
            continue
        other = world.provider.module(dotted)
        if other is not None:
            found += [other.class_of(b) for b in other.bindings.get(name, ()) if b.kind == "class"]
    return found[0] if len(found) == 1 else None
