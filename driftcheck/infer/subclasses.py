"""Who else may stand where a class is expected."""

from __future__ import annotations

import re

from driftcheck.index.classes import ClassDef
from driftcheck.index.subclassing import below_alias, class_at, directly_below
from driftcheck.index.tree_index import Index
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, Instance, Value
from driftcheck.infer.world import World


def put_from_outside(world: World, name: str) -> bool:
    """Whether code of the provider stores the attribute on something other than ``self``."""
    key = ("outside", name)
    if key not in world.cache:
        outside = re.compile(
            rf"(?<!self)\.{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)|setattr\([^\n]*[\"']{re.escape(name)}[\"']".encode()
        )
        index = world.provider
        world.cache[key] = any(outside.search(index.peek(path)) for path in index.files_mentioning(name))
    return world.cache[key]


def put_on_class(world: World, cls: ClassDef, name: str) -> bool:
    """Whether some code of the class's tree stores the attribute on the class itself, by its name."""
    index = world.index_of(cls.module.name)
    if index is None:
        return False
    owner, attribute = re.escape(cls.name), re.escape(name)
    stored = re.compile(
        rf"\b{owner}\.{attribute}\s*=(?!=)|setattr\(\s*{owner}\s*,\s*[\"']{attribute}[\"']".encode()
    )
    return any(stored.search(index.peek(path)) for path in index.files_mentioning(name))


def may_be_another(world: World, value: Value, name: str) -> bool:
    """Whether an object that is only declared to be of a class may be of one below it with its own ``name``."""
    match value:
        case Instance(cls=ClassValue(definition=cls), exact=False):
            return subclass_has(world, cls, name)
    return False


def subclass_has(world: World, cls: ClassDef, name: str) -> bool:
    """Whether a subclass of ``cls``, the provider's or the consumer's, has the attribute."""
    key = ("subclass-has", cls, name)
    if key not in world.cache:
        world.cache[key] = _subclass_has(world, cls, name)
    return world.cache[key]


def _subclass_has(world: World, cls: ClassDef, name: str) -> bool:
    return any(
        _has_subclass_with(world, index, cls, name) for index in (world.provider, world.consumer)
    ) or any(_is_mixed_in(world, other, cls, name) for other in subclasses(world, world.consumer, cls))


def _is_mixed_in(world: World, cls: ClassDef, base: ClassDef, name: str) -> bool:
    """Whether a class of the consumer's below ``base`` has the attribute from elsewhere in the consumer."""
    own = mro(world, base).order
    return any(
        isinstance(other, ClassDef)
        and other not in own
        and not world.is_provider(other.module)
        and (name in other.members or other.assigns(name))
        for other in mro(world, cls).order
    )


def namesake_has(world: World, cls: ClassDef, name: str) -> bool:
    """Whether the consumer has a class of the same name with the attribute: its objects may stand for the other's."""
    index = world.consumer
    for path in index.files_with(name, cls.name) if world.is_provider(cls.module) else ():
        module = index.module(index.module_name(path))
        for binding in module.bindings.get(cls.name, ()) if module is not None else ():
            if binding.kind == "class" and module is not None:
                other = module.class_of(binding)
                if name in other.members or other.assigns(name):
                    return True
    return False


def _has_subclass_with(world: World, index: Index, cls: ClassDef, name: str) -> bool:
    paths = index.files_with(name, cls.name) if index.tree.partial else index.files_mentioning(name)
    for path in paths:
        module = index.module(index.module_name(path))
        if module is None:
            continue
        for binding in module.functions_and_classes:
            if binding.kind != "class":
                continue
            other = module.class_of(binding)
            if name not in other.text or other is cls:
                continue
            if cls in mro(world, other).order and (name in other.members or other.assigns(name)):
                return True
    return False


def subclasses(world: World, index: Index, cls: ClassDef) -> list[ClassDef]:
    """The classes of a tree below ``cls`` at any depth, in the order they are come to from it.

    Those that name a base in their header, also under an alias; what makes classes by calls is not followed.
    """
    key = ("subclasses", index.tree.spec, cls)
    if key not in world.cache:
        world.cache[key] = _subclasses(world, index, cls)
    below: list[ClassDef] = world.cache[key]
    return below


def _subclasses(world: World, index: Index, cls: ClassDef) -> list[ClassDef]:
    found: dict[ClassDef, None] = {}
    waiting = [cls]
    for base in waiting:  # grows while it is walked
        named = directly_below(index, base.name, everywhere=False, namesakes=True)
        places = [*named, *below_alias(index, base.name)]
        for other in (class_at(index, place) for place in places):
            if other is None or other is cls or other in found:
                continue
            if base in mro(world, other).order:
                found[other] = None
                waiting.append(other)
    return list(found)


def has_subclass(world: World, cls: ClassDef) -> bool:
    """Whether some class of the provider's or the consumer's names ``cls`` as a base, by byte search."""
    key = ("has-subclass", cls)
    if key not in world.cache:
        below = re.compile(rf"\bclass\s+\w+\s*\([^)]*\b{re.escape(cls.name)}\b".encode())
        world.cache[key] = any(
            below.search(index.peek(path))
            for index in (world.provider, world.consumer)
            for path in index.files_with(cls.name)
        )
    found: bool = world.cache[key]
    return found
