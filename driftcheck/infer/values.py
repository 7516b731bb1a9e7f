"""The abstract values that inference computes with. All are immutable and hashable."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftcheck.index.classes import ClassDef
    from driftcheck.index.functions import FunctionDef
    from driftcheck.index.module import Module


class Value:
    """Base of all abstract values."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown(Value):
    """Nothing is known; whatever is done with it is silence."""


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True)
class Item(Value):
    """One item of a list of unknown things: nothing is known of it but that it is no longer the list."""


ITEM = Item()


@dataclass(frozen=True, slots=True)
class Const(Value):
    """A constant whose value is known: literals, versions, tuples of such are :class:`TupleOf`."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const) and type(self.value) is type(other.value) and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


@dataclass(frozen=True, slots=True)
class ModuleValue(Value):
    """A module of one of the trees, by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class External(Value):
    """Something of a library that is neither provider nor consumer, by its dotted path."""

    path: str


@dataclass(frozen=True, slots=True)
class ClassValue(Value):
    """A class object of one of the trees; ``args`` are its type arguments.

    ``declared``: an annotation says so (``type[X]``), and it may be a class below that one.
    """

    definition: ClassDef
    args: tuple[Value, ...] = ()
    declared: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Instance(Value):
    """An object of a class. ``exact``: constructed here, so no subclass can stand in for it."""

    cls: Value
    exact: bool = False
    args: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionValue(Value):
    """A function; ``receiver`` is what it is bound to, ``closure`` the scope that holds it."""

    definition: FunctionDef
    receiver: Value | None = None
    closure: Scope | None = None
    static: bool = False


@dataclass(frozen=True, slots=True)
class LambdaValue(Value):
    """A ``lambda`` expression with the scope it closes over."""

    node: ast.Lambda
    closure: Scope


@dataclass(frozen=True, slots=True)
class PartialValue(Value):
    """``functools.partial``: a callable with some arguments given."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    open: bool = False


@dataclass(frozen=True, slots=True)
class TupleOf(Value):
    """A tuple with known elements."""

    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Container(Value):
    """A list, set, frozenset, deque, iterator or tuple of unknown length; ``elements`` where a display is known."""

    kind: str
    element: Value
    elements: tuple[Value, ...] | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self._content))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Container):
            return NotImplemented
        return self.kind == other.kind and self._content == other._content

    @property
    def _content(self) -> Value | tuple[Value, ...]:
        """What tells two of a kind apart; ``element`` follows from ``elements``, and asking both would
        double the work at each level of a nested display."""
        return self.element if self.elements is None else self.elements


@dataclass(frozen=True, slots=True)
class DictOf(Value):
    """A mapping. ``entries`` are its known string keys; ``closed`` says that there are no others.

    ``places`` tells where each key is written: a file's path and the node there.
    """

    entries: tuple[tuple[str, Value], ...] = ()
    closed: bool = False
    key: Value = UNKNOWN
    value: Value = UNKNOWN
    places: tuple[tuple[str, str, ast.AST], ...] = field(default=(), compare=False)

    def place(self, name: str, path: str) -> ast.AST | None:
        """The node in the file ``path`` that gives the key ``name``."""
        for key, where, node in reversed(self.places):
            if key == name and where == path:
                return node
        return None

    def get(self, name: str) -> Value | None:
        for key, value in self.entries:
            if key == name:
                return value
        return None


@dataclass(frozen=True, slots=True)
class MethodOf(Value):
    """A method of a built-in or external object, bound to it."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Coroutine(Value):
    """What calling an ``async def`` gives before it is awaited."""

    result: Value


@dataclass(frozen=True, slots=True)
class SuperValue(Value):
    """``super()`` inside a method of ``after``."""

    after: ClassDef
    receiver: Value


@dataclass(frozen=True, slots=True)
class Union(Value):
    """One of several values."""

    options: frozenset[Value]


@dataclass(frozen=True, slots=True)
class Missing(Value):
    """A name of a tree that is not there: what using it would raise is the finding."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Origin(Value):
    """The call that a value is the unchanged result of: the function's name, and what was called."""

    symbol: str
    callee: Value


class Scope:
    """A namespace at run time: a module's, a function's, or a class body's. Compared by identity."""

    __slots__ = ("cls", "env", "function", "module", "parent")

    def __init__(
        self,
        module: Module,
        env: dict[str, Value],
        parent: Scope | None = None,
        function: FunctionDef | None = None,
        cls: ClassDef | None = None,
    ) -> None:
        self.module = module
        self.env = env
        self.parent = parent
        self.function = function
        self.cls = cls


MAX_OPTIONS = 8
"""A union with more options than this is unknown: it would only slow everything down."""


def union(values: list[Value] | tuple[Value, ...]) -> Value:
    """The value that is one of ``values``; unknown as soon as one is or there are too many."""
    if len(values) == 1:
        return values[0]
    flat: set[Value] = set()
    for value in values:
        if isinstance(value, Union):
            flat |= value.options
        else:
            flat.add(value)
    if not flat:
        return UNKNOWN
    if UNKNOWN in flat and len(flat) > 1:
        flat = {v for v in flat if v is UNKNOWN or v == NONE}
        return UNKNOWN
    flat = _merge(flat)
    if len(flat) == 1:
        return next(iter(flat))
    if len(flat) > MAX_OPTIONS:
        return UNKNOWN
    return Union(frozenset(flat))


def _merge(options: set[Value]) -> set[Value]:
    """Containers of one kind become one; several string or number constants become their type."""
    containers: dict[str, list[Container]] = {}
    rest: set[Value] = set()
    for value in options:
        if isinstance(value, Container):
            containers.setdefault(value.kind, []).append(value)
        elif (
            isinstance(value, Instance) and value.exact and Instance(value.cls, False, value.args) in options
        ):
            continue
        else:
            rest.add(value)
    for kind, group in containers.items():
        rest.add(group[0] if len(group) == 1 else Container(kind, join_elements(group)))
    dicts = [v for v in rest if isinstance(v, DictOf)]
    if len(dicts) > 1:
        rest -= set(dicts)
        rest.add(merge_dicts(dicts))
    return rest


def join_elements(group: list[Container]) -> Value:
    """The element of containers that may each stand there; an empty display adds nothing."""
    elements = [c.element for c in group if c.elements != ()]
    return union(elements) if elements else UNKNOWN


def merge_dicts(dicts: list[DictOf]) -> DictOf:
    """A mapping that may be any of several: keys that all have, closed only if the keys agree."""
    names = [tuple(k for k, _ in d.entries) for d in dicts]
    same = all(set(n) == set(names[0]) for n in names)
    shared = [n for n in names[0] if all(d.get(n) is not None for d in dicts)]
    entries = tuple((n, union([d.get(n) or UNKNOWN for d in dicts])) for n in shared)
    # What both ways have in common counts once: else every branch would double it.
    places = tuple(dict.fromkeys(place for d in dicts for place in d.places))
    return DictOf(
        entries, same and all(d.closed for d in dicts), UNKNOWN, union([d.value for d in dicts]), places
    )


def options(value: Value) -> tuple[Value, ...]:
    """The possible values one by one."""
    return tuple(value.options) if isinstance(value, Union) else (value,)


def without_none(value: Value) -> Value:
    """``value`` where it is known not to be None."""
    if isinstance(value, Union):
        kept = [v for v in value.options if v != NONE]
        return union(kept) if kept else UNKNOWN
    return UNKNOWN if value == NONE else value


def truth(value: Value) -> bool | None:
    """The truth of a value where it is known."""
    match value:
        case Const(value=constant):
            try:
                return bool(constant)
            except Exception:
                return None
        case ModuleValue() | ClassValue() | FunctionValue() | LambdaValue() | PartialValue():
            return True
        case TupleOf(elements=elements):
            return bool(elements)
        case Union(options=possible):
            answers = {truth(v) for v in possible}
            return answers.pop() if len(answers) == 1 else None
    return None
