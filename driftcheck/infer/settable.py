"""Whether an attribute of a class can be passed to its constructor, or assigned on its objects."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.callables import decorator_effect
from driftcheck.infer.constructors import field_style, fields_of
from driftcheck.infer.hierarchy import class_members, mro
from driftcheck.infer.values import External
from driftcheck.infer.world import World

Kind = Literal["property", "class-variable", "not-in-init", "frozen"]


@dataclass(frozen=True, slots=True)
class Unsettable:
    """Why an attribute cannot be set: what it is, the class that makes it so, and the line.

    ``read_only``: assigning it on an object raises (a property may have a setter all the same).
    """

    kind: Kind
    owner: ClassDef
    line: int
    read_only: bool


def not_in_constructor(world: World, cls: ClassDef, name: str) -> Unsettable | None:
    """What the class has and its constructor does not take: a property, ``ClassVar``, ``init=False``."""
    try:
        found = read_only(world, cls, name, any_property=True)
        if found is not None and found.kind == "property":
            return found
        if field_style(world, cls) is None:
            return None
        for field in fields_of(world, cls):
            if field.name == name and not field.init:
                return Unsettable(
                    "class-variable" if field.class_var else "not-in-init", field.owner, field.line, False
                )
    except SourceFault:
        return None
    return None


def read_only(world: World, cls: ClassDef, name: str, any_property: bool = False) -> Unsettable | None:
    """A property without a setter, or a field of a frozen class; None where assigning works or is not known.

    ``any_property``: properties with a setter too.
    """
    order = mro(world, cls)
    for owner in order.order:
        if isinstance(owner, External):
            continue
        bindings = owner.members.get(name)
        if bindings:
            functions = [owner.module.function_of(b, owner) for b in bindings if b.kind == "def"]
            if len(functions) != len(bindings):
                break
            return _property(world, owner, functions, any_property)
    if (
        order.complete
        and not any_property
        and _is_frozen(world, cls)
        and any(f.name == name for f in fields_of(world, cls))
    ):
        return Unsettable("frozen", cls, cls.line, True)
    return None


def _property(
    world: World, owner: ClassDef, functions: list[FunctionDef], any_property: bool
) -> Unsettable | None:
    plain = settable = False
    for function in functions:
        for decorator in function.decorators:
            match decorator:
                case ast.Attribute(attr="setter"):
                    settable = True
                case ast.Name(id="property"):
                    plain = decorator_effect(world, owner.module, decorator) == "property"
    if not plain or (settable and not any_property) or _sets_itself(world, owner):
        return None
    return Unsettable("property", owner, functions[0].line, not settable)


def _sets_itself(world: World, cls: ClassDef) -> bool:
    """Whether a class of the order has its own idea of assignment."""
    return any(
        isinstance(owner, ClassDef) and class_members(world, owner, "__setattr__")
        for owner in mro(world, cls).order
    )


def _is_frozen(world: World, cls: ClassDef) -> bool:
    """Whether a class is a standard dataclass that was made with ``frozen=True``."""
    frozen = any(
        keyword.arg == "frozen" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for decorator in cls.header.decorator_list
        if isinstance(decorator, ast.Call) and decorator_effect(world, cls.module, decorator) == "dataclass"
        for keyword in decorator.keywords
    )
    return frozen and not _sets_itself(world, cls)
