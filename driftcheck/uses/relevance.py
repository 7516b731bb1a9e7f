"""Which values concern the provider."""

from __future__ import annotations

from driftcheck.index.classes import ClassDef
from driftcheck.infer.classpaths import hosts
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import (
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    PartialValue,
    SuperValue,
    Value,
)
from driftcheck.infer.world import World


def concerns_provider(world: World, value: Value, name: str | None) -> bool:
    """Whether reading ``name`` of a value, or calling it, depends on what the provider offers."""
    match value:
        case ModuleValue(name=module):
            return world.index_of(module) is world.provider
        case ClassValue(definition=cls):
            return _class_concerns(world, cls)
        case Instance(cls=ClassValue(definition=cls)):
            return _class_concerns(world, cls) or bool(hosts(world, cls))
        case FunctionValue(definition=function):
            return world.is_provider(function.module)
        case PartialValue(function=inner):
            return concerns_provider(world, inner, name)
        case SuperValue(after=after):
            return _class_concerns(world, after)
    return False


def _class_concerns(world: World, cls: ClassDef) -> bool:
    return any(isinstance(c, ClassDef) and world.is_provider(c.module) for c in mro(world, cls).order)


def owner_name(value: Value) -> str | None:
    """The qualified name of what an attribute is put on."""
    match value:
        case ModuleValue(name=module):
            return module
        case ClassValue(definition=cls) | Instance(cls=ClassValue(definition=cls)):
            return cls.qualname
    return None
