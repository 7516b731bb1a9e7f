"""What a use is of: the symbol's name, its module, and how its definition reads on one version."""

from __future__ import annotations

import ast

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef, Parameter
from driftcheck.index.source import SourceFault
from driftcheck.infer.callables import signature_of
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Missing, ModuleValue, Value, options
from driftcheck.infer.world import World
from driftcheck.uses import (
    AttributeUse,
    CallUse,
    ImportUse,
    Use,
)
from driftcheck.uses.relevance import owner_name
from driftcheck.uses.use import (
    BoundUse,
    ClassUse,
    EnvironmentUse,
    NamedMethodUse,
    NarrowedUse,
    PatchUse,
    StoreUse,
    StringUse,
    ValueUse,
)

MAX_SHAPE = 400
_GONE = ""


def symbol_of(use: Use, world: World) -> str:
    """The provider's name of what is used, qualified as far as it is known; empty where it is not."""
    match use:
        case NamedMethodUse(name=name, targets=targets):
            return f"{targets[-1].qualname}.{name}" if targets else name
        case CallUse(callee=callee):
            return _name(callee, world)
        case ImportUse(module=module, name=name):
            return f"{module}.{name}" if name else module
        case AttributeUse(receiver=receiver, name=name) | StoreUse(receiver=receiver, name=name):
            return _member(receiver, name, world)
        case PatchUse(receiver=receiver, name=name):
            return _member(receiver, name, world)
        case ValueUse(value=value):
            return _name(value, world)
        case NarrowedUse(cls=cls, name=name):
            return f"{cls.qualname}.{name}"
        case BoundUse(method=method):
            return method
        case ClassUse(cls=cls):
            return _base(cls, world)
        case StringUse(text=text):
            return text.replace(":", ".")
        case EnvironmentUse(name=name):
            return name
    return ""


def shape_of(use: Use, world: World) -> str:
    """How the definition reads in one line; empty where it is missing or unknown."""
    match use:
        case CallUse(callee=callee):
            return value_shape(world, callee)
        case ImportUse(value=value):
            return value_shape(world, value)
        case AttributeUse(answers=answers):
            found = next((lookup for _, lookup in answers if lookup.status == "found"), None)
            return value_shape(world, found.value) if found is not None else _GONE
    return _GONE


def value_shape(world: World, value: Value) -> str:
    """A function's or a constructor's signature, or what kind of thing a value is, in one line."""
    for option in options(value):
        if isinstance(option, Missing):
            return _GONE
        if isinstance(option, (ClassValue, FunctionValue)):
            signature = signature_of(world, option)
            name = option.definition.name
            if signature is None:
                return f"{'class' if isinstance(option, ClassValue) else 'def'} {name}"
            text = ", ".join(parameter_text(one) for one in signature.parameters)
            return _cut(f"{name}({text})")
        if isinstance(option, ModuleValue):
            return f"module {option.name}"
    return _GONE


def parameter_text(parameter: Parameter) -> str:
    """A parameter as a signature shows it, without its annotation."""
    stars = {"var_positional": "*", "var_keyword": "**"}.get(parameter.kind, "")
    if not parameter.has_default:
        return stars + parameter.name
    if parameter.default is None:
        return f"{parameter.name}=…"
    return f"{parameter.name}={expression_text(parameter.default)}"


def expression_text(node: ast.expr, room: int = 60) -> str:
    """An expression's source, cut where it is longer than ``room`` characters."""
    try:
        return _cut(ast.unparse(node), room)
    except (ValueError, RecursionError):
        return "…"


def home_module(symbol: str, world: World) -> str:
    """The module of the provider that a symbol is in: its longest prefix that is one."""
    parts = symbol.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        place = world.provider.locate(name)
        if place is not None and place[0] != "namespace":
            return name
    return parts[0] if world.provider.owns(parts[0]) else ""


def _name(value: Value, world: World) -> str:
    for option in options(value):
        if isinstance(option, (ClassValue, FunctionValue)) and world.is_provider(option.definition.module):
            return option.definition.qualname
        if isinstance(option, Instance) and isinstance(option.cls, ClassValue):
            return option.cls.definition.qualname
        if isinstance(option, ModuleValue):
            return option.name
        if isinstance(option, Missing):
            return option.symbol
    return ""


def _member(receiver: Value, name: str, world: World) -> str:
    for option in options(receiver):
        owner = owner_name(option)
        if owner is not None:
            return f"{owner}.{name}"
    return name


def _base(cls: ClassDef, world: World) -> str:
    from driftcheck.infer.hierarchy import mro

    for one in mro(world, cls).order:
        if isinstance(one, ClassDef) and world.is_provider(one.module):
            return one.qualname
    return ""


def line_of(definition: ClassDef | FunctionDef) -> int:
    """Where a definition is; 1 where it cannot be parsed."""
    try:
        return definition.line
    except SourceFault:
        return 1


def _cut(text: str, room: int = MAX_SHAPE) -> str:
    text = " ".join(text.split())
    return text if len(text) <= room else text[: room - 1] + "…"
