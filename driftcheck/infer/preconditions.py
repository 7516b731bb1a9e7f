"""State that must have been set before a function of the provider is called, or it raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.places import places_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.constructors import field_style, fields_of
from driftcheck.infer.declared import called_method
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.run import MAX_BODY
from driftcheck.infer.states import Guard, effects_of, is_empty, method_of
from driftcheck.infer.straight import straight_calls
from driftcheck.infer.values import (
    ClassValue,
    FunctionValue,
    Instance,
    options,
)
from driftcheck.infer.world import World

MAX_LEVELS = 4
"""How many callers up from what sets a state its callers are looked for."""
MAX_CALLERS = 60
"""A name with more callers than this says nothing about who sets the state."""
_CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__"})


@dataclass(frozen=True, slots=True)
class Precondition:
    """``function`` raises at ``guard`` unless the attribute of an object of ``cls`` is set.

    ``line`` is where ``function`` asks.
    """

    cls: ClassDef
    guard: Guard
    function: FunctionDef
    line: int

    @property
    def attribute(self) -> str:
        return self.guard.attribute


def new_preconditions(world: World, value: FunctionValue, earlier: FunctionDef) -> list[Precondition]:
    """What a function asks of the state of objects and ``earlier``, its older self, did not."""
    function = value.definition
    if len(function.text) > MAX_BODY or function.text == earlier.text:
        return []
    return [p for p in _own(world, value) + _called(world, value, earlier) if p.attribute not in earlier.text]


def _own(world: World, value: FunctionValue) -> list[Precondition]:
    """Guards of a method on its own object, helpers on ``self`` included."""
    match value.receiver:
        case Instance(cls=ClassValue(definition=cls)):
            return _guards(world, cls, value.definition, value.definition, None)
    return []


def _called(world: World, value: FunctionValue, earlier: FunctionDef) -> list[Precondition]:
    """Guards of the methods that the function calls on every way through it, and did not call before."""
    function = value.definition
    found: list[Precondition] = []
    try:
        calls = list(straight_calls(function.node))
    except (SourceFault, AssertionError, IndexError):
        return []
    for call in calls:
        if not isinstance(call.func, ast.Attribute) or re.search(rf"\b{call.func.attr}\b", earlier.text):
            continue
        for option in options(called_method(world, value, call)):
            match option:
                case FunctionValue(definition=method, receiver=Instance(cls=ClassValue(definition=cls))):
                    found += _guards(world, cls, method, function, call.lineno)
    return found


def _guards(
    world: World, cls: ClassDef, method: FunctionDef, function: FunctionDef, line: int | None
) -> list[Precondition]:
    return [
        Precondition(cls, guard, function, line or guard.line)
        for guard in effects_of(world, cls, method).guards
        if guard.wanted == "set" and starts_empty(world, cls, guard.attribute)
    ]


def starts_empty(world: World, cls: ClassDef, attribute: str) -> bool:
    """Whether a new object of a class has the attribute unset."""
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef) and field_style(world, owner) is not None:
            for field in fields_of(world, cls):
                if field.name == attribute:
                    after = _set_by_constructor(world, cls, "__post_init__", attribute)
                    return (
                        field.default is not None
                        and not field.factory
                        and is_empty(field.default)
                        and after is not True
                    )
            break
    said = _set_by_constructor(world, cls, "__init__", attribute)
    if said is not None:
        return not said
    return _class_value_is_empty(world, cls, attribute)


def _set_by_constructor(world: World, cls: ClassDef, name: str, attribute: str) -> bool | None:
    """Whether a constructor leaves the attribute set; None where it does not touch it."""
    function = method_of(world, cls, name)
    if function is None:
        return None
    effects = effects_of(world, cls, function)
    if any(store.attribute == attribute for store in effects.sets):
        return True
    return False if attribute in effects.clears else None


def _class_value_is_empty(world: World, cls: ClassDef, attribute: str) -> bool:
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef):
            for binding in owner.members.get(attribute, ()):
                try:
                    statement = owner.module.source.parse(binding.item)
                except (SourceFault, IndexError):
                    return False
                value = getattr(statement, "value", None)
                return isinstance(value, ast.expr) and is_empty(value)
    return False


def setters_of(world: World, cls: ClassDef, attribute: str) -> tuple[FunctionDef, ...]:
    """The provider's functions that assign the attribute.

    Methods of unrelated classes on ``self`` are left out, and constructors that only say that it is unset.
    """
    key = ("setters", cls, attribute)
    if key in world.cache:
        return world.cache[key]
    target = rf"\.\s*{re.escape(attribute)}\s*"
    pattern = re.compile(rf"{target}=(?!=)|^[\w.\[\], *]+{target},[\w.\[\], *]*=(?!=)", re.M)
    unset = re.compile(rf"{target}=\s*(?:None|False)\s*(?:#.*)?$", re.M)
    own = re.compile(
        rf"^(?!.*\bself\s*\.\s*{re.escape(attribute)}\s*=).*\.\s*{re.escape(attribute)}\s*=(?!=)", re.M
    )
    line = mro(world, cls).order
    found: list[FunctionDef] = []
    for module in _modules_with(world, attribute, pattern):
        for place in places_of(module, pattern):
            function = place.function
            if function is None or function in found:
                continue
            if function.name in _CONSTRUCTORS and _only(unset, pattern, function.text):
                continue
            if function.owner in line or own.search(function.text):
                found.append(function)
    world.cache[key] = tuple(found)
    return world.cache[key]


def _only(some: re.Pattern[str], every: re.Pattern[str], text: str) -> bool:
    """Whether all that one pattern finds in a text is what the other one finds."""
    return len(some.findall(text)) == len(every.findall(text))


def leading_to(world: World, functions: tuple[FunctionDef, ...]) -> set[str]:
    """The names of functions, and of everything of the provider that calls them, a few levels up.

    A constructor goes by its class's name. Names that too much of the provider mentions are left out.
    """
    names = {_name_of(f) for f in functions}
    pending = set(names)
    for _ in range(MAX_LEVELS):
        above: set[str] = set()
        for name in pending:
            above |= _callers(world, name)
        pending = above - names
        names |= pending
    return names


def _callers(world: World, name: str) -> set[str]:
    """The names of the provider's functions that call something of a name."""
    key = ("callers", name)
    if key in world.cache:
        return world.cache[key]
    found: set[str] = set()
    pattern = re.compile(rf"(?<!def )(?<!class )\b{re.escape(name)}\(")
    if len(world.provider.files_mentioning(name)) <= MAX_CALLERS:
        for module in _modules_with(world, name, pattern, f"{name}("):
            found |= {_name_of(p.function) for p in places_of(module, pattern) if p.function is not None}
    world.cache[key] = found
    return found


def _modules_with(world: World, name: str, pattern: re.Pattern[str], literal: str = "") -> Iterator[Module]:
    """The provider's modules whose bytes match a pattern, looked for where they mention a name.

    ``literal`` is in all that matches: bytes are searched for it much faster than for the pattern.
    """
    index = world.provider
    needle = literal.encode()
    raw = re.compile(pattern.pattern.encode(), pattern.flags & re.M)
    for path in index.files_mentioning(name):
        data = index.peek(path)
        if needle in data and raw.search(data):
            module = index.module(index.module_name(path))
            if module is not None:
                yield module


def _name_of(function: FunctionDef) -> str:
    if function.name in _CONSTRUCTORS and function.owner is not None:
        return function.owner.name
    return function.name
