"""Reading an attribute of a value: what it gives, or that it is not there."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, Literal

from packaging.requirements import Requirement
from packaging.version import Version

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef, only_stores
from driftcheck.index.module import Binding
from driftcheck.index.source import SourceFault
from driftcheck.infer.containers import constant_value
from driftcheck.infer.hierarchy import class_members, external_members, is_enum, may_stand_before, mro
from driftcheck.infer.regexes import Found
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    FunctionValue,
    Instance,
    MethodOf,
    Missing,
    ModuleValue,
    SuperValue,
    TupleOf,
    Value,
    options,
    union,
)
from driftcheck.infer.version_calls import Distribution
from driftcheck.infer.world import World

LookupStatus = Literal["found", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class Lookup:
    """The answer: its value, and where it is defined (a class and what binds it there)."""

    status: LookupStatus
    value: Value = UNKNOWN
    owner: ClassDef | None = None
    definition: Any = None


NOT_KNOWN = Lookup("unknown")


def lookup(world: World, value: Value, name: str) -> Lookup:
    """What ``value.name`` gives. ``value`` is not a union: callers ask for each option."""
    from driftcheck.infer.reclassed import is_reclassed

    match value:
        case ModuleValue(name=module_name):
            return _module_lookup(world, module_name, name)
        case External(path=path):
            return Lookup("unknown", External(f"{path}.{name}"))
        case Instance(cls=ClassValue(definition=cls)):
            found = instance_lookup(world, cls, name, value)
            # What the consumer gives another class is no longer what the class's own methods put there.
            if found.value is not UNKNOWN and is_reclassed(world, name):
                return Lookup(found.status, UNKNOWN, found.owner, found.definition)
            return found
        case Instance(cls=External(path=path)):
            return external_instance_lookup(world, path, name, value)
        case ClassValue(definition=cls):
            return class_lookup(world, cls, name, value)
        case SuperValue(after=after, receiver=receiver):
            return _super_lookup(world, after, receiver, name)
        case Const() | Container() | TupleOf() | DictOf():
            return _builtin_lookup(value, name)
        case FunctionValue() if name in ("__wrapped__", "__func__", "__name__", "__doc__", "__qualname__"):
            return Lookup("unknown")
    return NOT_KNOWN


def _module_lookup(world: World, module_name: str, name: str) -> Lookup:
    module = world.module(module_name)
    if module is None:
        index = world.index_of(module_name)
        place = index.locate(module_name) if index else None
        if place is not None and place[0] == "namespace":
            value = world.imported(f"{module_name}.{name}")
            return Lookup("missing" if isinstance(value, Missing) else "found", value)
        return NOT_KNOWN
    value = world.member(module, name)
    if isinstance(value, Missing):
        return Lookup("missing", UNKNOWN)
    if value is UNKNOWN:
        return Lookup("found" if name in module.bindings else "unknown", UNKNOWN)
    return Lookup("found", value)


def external_instance_lookup(world: World, path: str, name: str, value: Value) -> Lookup:
    if isinstance(value, Instance) and path == "inspect.Signature" and name == "parameters":
        return Lookup("found", Container("names", UNKNOWN, value.args))
    if isinstance(value, Instance) and path == "dataclasses.Field" and name == "name" and value.args:
        return Lookup("found", value.args[0])
    returns = world.facts.functions.get(f"{path}.{name}")
    if path.startswith("builtins.") or returns is not None:
        return Lookup("found", MethodOf(value, name))
    return Lookup("unknown", MethodOf(value, name))


_VERSION_PARTS = frozenset(
    {
        "major",
        "minor",
        "micro",
        "release",
        "public",
        "base_version",
        "local",
        "is_devrelease",
        "is_prerelease",
    }
)
_BUILTIN_TYPES = {"list": list, "set": set, "frozenset": frozenset, "tuple": tuple}


def _builtin_lookup(value: Value, name: str) -> Lookup:
    match value:
        case Const(value=None):
            return Lookup("missing" if not hasattr(None, name) else "found")
        case Const(value=Version() as version) if name in _VERSION_PARTS:
            return Lookup("found", constant_value(getattr(version, name)))
        case Const(value=Distribution() as distribution) if name in ("version", "parsed_version"):
            return Lookup("found", distribution.part(name))
        case Const(value=Requirement() as requirement) if name == "specifier":
            return Lookup("found", Const(requirement.specifier))
        case Const(value=Distribution() | Found() as part) if not hasattr(type(part), name):
            return NOT_KNOWN
        case Const(value=constant):
            has = hasattr(type(constant), name)
        case TupleOf():
            has = hasattr(tuple, name)
        case DictOf():
            has = hasattr(dict, name)
        case Container(kind=kind):
            if kind not in _BUILTIN_TYPES:
                return Lookup("unknown", MethodOf(value, name))
            has = hasattr(_BUILTIN_TYPES[kind], name)
        case _:
            return NOT_KNOWN
    return Lookup("found", MethodOf(value, name)) if has else Lookup("missing")


def instance_lookup(world: World, cls: ClassDef, name: str, receiver: Value) -> Lookup:
    """An attribute of an object: class members and what methods assign, base by base."""
    line = mro(world, cls)
    if name == "__class__":
        return Lookup("found", receiver.cls if isinstance(receiver, Instance) else UNKNOWN)
    known = line.complete
    for owner in line.order:
        if isinstance(owner, External):
            members = external_members(world, owner)
            if members is None:
                known = False
            elif name in members:
                return Lookup(
                    "found", MethodOf(receiver, name) if owner.path.startswith("builtins.") else UNKNOWN
                )
            continue
        found = _in_class(world, owner, name, receiver, instance=True)
        if found is not None and found.status == "found" and may_stand_before(world, line, owner):
            return Lookup("found", UNKNOWN)
        if found is not None:
            return (
                found
                if known or found.status != "found"
                else Lookup("found", found.value, found.owner, found.definition)
            )
        if owner.is_open or is_dynamically_decorated(world, owner, name):
            known = False
    if name in _FIELD_TABLES:
        return _field_table(world, cls)
    if (hasattr(object, name) and name != "__call__") or name in _EVERY_OBJECT:  # `__call__` is the class's
        return Lookup("found")
    hosted = _hosted_lookup(world, cls, name, receiver)
    if hosted is not None:
        return hosted if known or hosted.status != "missing" else NOT_KNOWN
    return Lookup("missing") if known else NOT_KNOWN


def _hosted_lookup(world: World, cls: ClassDef, name: str, receiver: Value) -> Lookup | None:
    """An attribute that a class gets from what a string mixes it into; None for a class of no such kind."""
    from driftcheck.infer.classpaths import hosts

    answers = [instance_lookup(world, host, name, receiver) for host in hosts(world, cls)]
    if not answers:
        return None
    found = [answer for answer in answers if answer.status != "missing"]
    return found[0] if found else answers[0]


_EVERY_CLASS = frozenset(name for base in (type, object) for name in vars(base))
_EVERY_OBJECT = frozenset({"__dict__", "__weakref__", "__annotations__"})
"""What an object has, or may have, that nobody writes; ``object`` itself has none of it."""
_FIELD_TABLES = frozenset(
    {"__dataclass_fields__", "model_fields", "__fields__", "__struct_fields__", "__pydantic_fields__"}
)


def _field_table(world: World, cls: ClassDef) -> Lookup:
    """The table of a class's fields: a mapping, or a tuple for structs, with known keys."""
    from driftcheck.infer.constructors import field_style, fields_of

    if field_style(world, cls) is None:
        return NOT_KNOWN
    return Lookup("found", DictOf(tuple((f.name, UNKNOWN) for f in fields_of(world, cls)), True))


def _in_class(world: World, owner: ClassDef, name: str, receiver: Value, instance: bool) -> Lookup | None:
    bindings = class_members(world, owner, name)
    # Without settings a declared field is what it says: what methods make of it answers to settings.
    assigned = instance and owner.assigns(name) and not (bindings and world.unset is not None)
    if not bindings and not assigned:
        return None
    values: list[Value] = []
    definition: Any = None
    for binding in bindings:
        value, definition = member_value(world, owner, binding, receiver, instance)
        if assigned and value == Const(None) and len(bindings) == 1:
            continue
        values.append(value)
    if assigned and not any(isinstance(d, FunctionDef) for d in (definition,)):
        stored = assigned_attribute(world, owner, name, receiver)
        # Where a declared field is filled with something unknown, the declaration still holds.
        if stored is not UNKNOWN or not (
            values and UNKNOWN not in values and _is_declared(owner, bindings[-1])
        ):
            values.append(stored)
    return Lookup("found", union(values), owner, definition or name)


def _is_declared(owner: ClassDef, binding: Binding) -> bool:
    """Whether a class body annotates the attribute."""
    try:
        return isinstance(owner.module.source.parse(binding.item), ast.AnnAssign)
    except (SourceFault, IndexError):
        return False


def member_value(
    world: World, owner: ClassDef, binding: Binding, receiver: Value, instance: bool
) -> tuple[Value, Any]:
    """What one binding of a class body gives when read from an instance or from the class."""
    module = owner.module
    if binding.kind == "def":
        function = module.function_of(binding, owner)
        return method_value(world, function, receiver, instance), function
    if binding.kind == "class":
        nested = module.class_of(binding, owner)
        return ClassValue(nested), nested
    if binding.kind == "value":
        return _read(world, _field_value(world, owner, binding, receiver)), binding
    return _read(world, world.value_of(module, binding)), binding


def _read(world: World, value: Value) -> Value:
    """What reading a class member gives: an object with a ``__get__`` decides that for itself."""
    return union([UNKNOWN if _is_descriptor(world, option) else option for option in options(value)])


def _is_descriptor(world: World, value: Value) -> bool:
    match value:
        case Instance(cls=ClassValue(definition=cls)):
            return any(isinstance(c, ClassDef) and "__get__" in c.members for c in mro(world, cls).order)
    return False


def method_value(world: World, function: FunctionDef, receiver: Value, instance: bool) -> Value:
    """A method read from a receiver: bound, static, or the value of a property."""
    from driftcheck.infer.callables import kind_of, return_value

    kind = kind_of(world, function)
    if kind == "property":
        if not instance or only_stores(function):
            return UNKNOWN
        return return_value(world, FunctionValue(function, receiver), None)
    if kind == "static":
        return FunctionValue(function, None, None, True)
    if kind == "class":
        return FunctionValue(function, receiver.cls if isinstance(receiver, Instance) else receiver)
    if kind == "unknown":
        return UNKNOWN
    return FunctionValue(function, receiver if instance else None)


def _field_value(world: World, owner: ClassDef, binding: Binding, receiver: Value) -> Value:
    from driftcheck.infer.annotations import annotated
    from driftcheck.infer.evaluator import assigned_value
    from driftcheck.infer.hierarchy import class_scope

    try:
        statement = owner.module.source.parse(binding.item)
    except (SourceFault, IndexError):
        return UNKNOWN
    if is_enum(world, owner) and isinstance(statement, ast.Assign):
        return Instance(ClassValue(owner), True)
    if isinstance(statement, ast.AnnAssign):
        args = receiver.args if isinstance(receiver, Instance) else ()
        said = annotated(world, owner.module, statement.annotation, args)
        if world.unset is None or not isinstance(receiver, Instance):
            return said
        from driftcheck.infer.unset import field_default

        return field_default(world, owner, binding.name, said)
    value = assigned_value(world, class_scope(world, owner), statement, binding.name)
    if isinstance(value, FunctionValue) and isinstance(receiver, Instance) and value.receiver is None:
        return FunctionValue(value.definition, receiver, value.closure, value.static)
    return value


def assigned_attribute(world: World, owner: ClassDef, name: str, receiver: Value) -> Value:
    """What the methods of a class assign to ``self.<name>``, annotations first.

    Where the object's own class overrides what such a method calls on itself, that is what it calls.
    """
    from driftcheck.infer.stores import attribute_values, runs_overridden

    unknown: Value = UNKNOWN
    actual = owner
    match receiver:
        case Instance(cls=ClassValue(definition=cls)) if runs_overridden(world, cls, owner, name):
            actual = cls
    return world.remember(
        ("assigned", owner, name, actual), lambda: attribute_values(world, owner, name, actual), unknown
    )


def is_dynamically_decorated(world: World, cls: ClassDef, name: str) -> bool:
    """Whether a class decorator may have added the attribute."""
    from driftcheck.infer.callables import decorator_effect
    from driftcheck.infer.evaluator import Evaluator

    try:
        decorators = cls.header.decorator_list
    except SourceFault:
        return True
    for decorator in decorators:
        if decorator_effect(world, cls.module, decorator) == "unknown":
            return True
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        value = Evaluator(world, world.module_scope(cls.module)).eval(target)
        if isinstance(value, FunctionValue) and _may_set(value.definition, name):
            return True
    return False


def _may_set(decorator: FunctionDef, name: str) -> bool:
    """Whether a decorator's body stores the attribute on something, or some attribute under a computed name."""
    text = decorator.text
    return "setattr(" in text or re.search(rf"\.{re.escape(name)}\s*=(?!=)", text) is not None


def class_lookup(world: World, cls: ClassDef, name: str, receiver: Value) -> Lookup:
    """An attribute of a class object."""
    line = mro(world, cls)
    known = line.complete
    for owner in line.order:
        if isinstance(owner, External):
            members = external_members(world, owner)
            if members is None:
                known = False
            elif name in members:
                return Lookup("found")
            continue
        found = _in_class(world, owner, name, receiver, instance=False)
        if found is not None:
            return found
        if is_dynamically_decorated(world, owner, name) or _has_metaclass(world, owner):
            known = False
    if name in _FIELD_TABLES:
        return _field_table(world, cls)
    if name in _EVERY_CLASS:
        return Lookup("found")
    return Lookup("missing") if known else NOT_KNOWN


def _has_metaclass(world: World, cls: ClassDef) -> bool:
    for keyword in cls.header.keywords:
        if keyword.arg == "metaclass":
            match keyword.value:
                case ast.Name(id="ABCMeta") | ast.Attribute(attr="ABCMeta"):
                    continue
            return True
    return False


def _super_lookup(world: World, after: ClassDef, receiver: Value, name: str) -> Lookup:
    start = after
    if isinstance(receiver, Instance) and isinstance(receiver.cls, ClassValue):
        start = receiver.cls.definition
    elif isinstance(receiver, ClassValue):
        start = receiver.definition
    order = mro(world, start)
    if after not in order.order:
        order = mro(world, after)  # the function was put on another class than the one it was written for
    following = list(order.order)[order.order.index(after) + 1 :]
    known = order.complete
    instance = not isinstance(receiver, ClassValue)
    for owner in following:
        if isinstance(owner, External):
            members = external_members(world, owner)
            if members is None and name == "__init__":
                return NOT_KNOWN  # its own constructor is the next one, and nobody says what it calls
            if members is None:
                known = False
            elif name in members:
                return Lookup("found")
            continue
        bindings = class_members(world, owner, name)
        if bindings and may_stand_before(world, order, owner):
            return Lookup("found", UNKNOWN)
        if bindings:
            value, definition = member_value(
                world, owner, bindings[-1], receiver, instance or name == "__new__"
            )
            return Lookup("found", value, owner, definition)
        if owner.is_open:
            known = False
    if hasattr(object, name):
        return Lookup("found", MethodOf(Instance(External("builtins.object")), name))
    return Lookup("missing") if known else NOT_KNOWN
