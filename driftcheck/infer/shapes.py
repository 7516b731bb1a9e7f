"""What can be done with a value: the operations that raise, and how two values differ."""

from __future__ import annotations

from driftcheck.infer.attributes import lookup
from driftcheck.infer.values import (
    ITEM,
    NONE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    Coroutine,
    DictOf,
    External,
    Instance,
    Item,
    TupleOf,
    Value,
    options,
)
from driftcheck.infer.world import World

_NO_ITEMS = frozenset(
    {"set", "frozenset", "generator", "iterator", "dict_keys", "dict_values", "dict_items", "context"}
)
_NO_LENGTH = frozenset({"generator", "iterator", "context", "async_generator", "iterable"})
_SPECIAL = {
    "subscript": "__getitem__",
    "slice": "__getitem__",
    "iterate": "__iter__",
    "unpack": "__iter__",
    "len": "__len__",
}
_SCALARS = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.complex"})


def describe(value: Value) -> str:
    """A value's kind as a message says it."""
    named = sorted({_described(option) for option in options(value)})
    return " or ".join(named)


def _described(value: Value) -> str:
    match value:
        case Const(value=None):
            return "None"
        case Const(value=constant):
            return f"a {type(constant).__name__}"
        case TupleOf(elements=elements):
            return f"a tuple of {len(elements)}"
        case Container(kind=kind):
            return {"async_generator": "an async iterator", "iterable": "an iterable"}.get(kind, f"a {kind}")
        case DictOf():
            return "a dict"
        case Coroutine():
            return "a coroutine"
        case Item():
            return "one item"
        case Instance(cls=ClassValue(definition=cls)):
            return f"a {cls.name}"
        case Instance(cls=External(path=path)):
            return f"a {path.rpartition('.')[2]}"
    return "something unknown"


def raises(world: World, how: str, value: Value, count: int | None = None) -> bool | None:
    """Whether an operation raises on a value (one option, not a union); None where that is not known.

    ``count`` is the number of targets of an ``unpack`` without a star.
    """
    match value:
        case Const(value=None):
            return how in (
                "subscript",
                "slice",
                "iterate",
                "unpack",
                "len",
                "await",
                "async-iterate",
                "attribute",
            )
        case Coroutine():
            return how in ("subscript", "slice", "iterate", "unpack", "len", "async-iterate", "attribute")
        case Const(value=constant):
            return how in ("await", "async-iterate") or (
                how in _SPECIAL and not hasattr(constant, _SPECIAL[how])
            )
        case TupleOf(elements=elements):
            return how in ("await", "async-iterate") or (
                how == "unpack" and count is not None and count != len(elements)
            )
        case DictOf():
            return how in ("await", "async-iterate", "slice")
        case Container(kind=kind):
            return _container_raises(how, kind)
        case Instance(cls=External(path=path)) if path in _SCALARS:
            return how in _SPECIAL or how in ("await", "async-iterate")
        case Instance(cls=External(path="builtins.str")):
            return how in ("await", "async-iterate")
        case Instance(cls=ClassValue()) if how in _SPECIAL:
            return _lacks(world, value, how)
    return None


def _container_raises(how: str, kind: str) -> bool | None:
    if kind == "async_generator":
        return how in _SPECIAL or how == "await"
    if how in ("subscript", "slice"):
        return kind in _NO_ITEMS or None if kind in ("iterable",) else kind in _NO_ITEMS
    if how == "len":
        return None if kind == "iterable" else kind in _NO_LENGTH
    return how in ("await", "async-iterate")


def cannot_iterate(world: World, value: Value) -> bool:
    """Whether a value's own class gives it neither ``__iter__`` nor ``__getitem__``; a subclass still may."""
    return isinstance(value, Instance) and _statuses(world, value, "iterate") == {"missing"}


def _statuses(world: World, value: Value, how: str) -> set[str]:
    names = [_SPECIAL[how], "__getitem__"] if how in ("iterate", "unpack") else [_SPECIAL[how]]
    return {lookup(world, value, name).status for name in names}


def _lacks(world: World, value: Value, how: str) -> bool | None:
    found = _statuses(world, value, how)
    if "found" in found:
        return False
    exact = isinstance(value, Instance) and value.exact
    return True if found == {"missing"} and exact else None


def kinds(value: Value) -> frozenset[str]:
    """The outer kinds that a value may have, None aside; what is unknown is ``?``."""
    return frozenset(_kind(option) for option in options(value) if option != NONE)


def _kind(value: Value) -> str:
    match value:
        case Const(value=constant):
            return type(constant).__name__
        case TupleOf():
            return "tuple"
        case Container(kind=kind):
            return kind
        case DictOf():
            return "dict"
        case Coroutine():
            return "coroutine"
        case Instance(cls=ClassValue(definition=cls)):
            return cls.name
        case Instance(cls=External(path=path)):
            return path.rpartition(".")[2]
    return "?"


def known(value: Value) -> bool:
    """Whether every option of a value is of a known kind."""
    return value is not UNKNOWN and "?" not in kinds(value)


def is_element_of(value: Value, collection: Value) -> bool:
    """Whether ``value`` is what the elements of ``collection`` are: the collection became its element."""
    if value is ITEM:
        return all(
            isinstance(o, Container) and o.kind == "list" and o.element is UNKNOWN
            for o in options(collection)
        )
    wanted = {option for option in options(value) if option != NONE}
    elements: set[Value] = set()
    for option in options(collection):
        match option:
            case Container(element=element, kind="list" | "sequence" | "tuple"):
                elements |= {e for e in options(element) if e != NONE}
            case Const(value=None):
                continue
            case _:
                return False
    return bool(wanted) and UNKNOWN not in wanted and wanted <= elements
