"""Elements, items and methods of lists, tuples, sets and mappings."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from packaging.specifiers import Specifier, SpecifierSet

from driftcheck.infer.arrays import is_array
from driftcheck.infer.regexes import NAMES, Found, method_of_pattern
from driftcheck.infer.values import (
    ITEM,
    NONE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    FunctionValue,
    Instance,
    Missing,
    TupleOf,
    Value,
    options,
    union,
)
from driftcheck.infer.world import World


def element_of(world: World, value: Value) -> Value:
    """What iterating over a value gives."""
    return union([_element(world, option) for option in _usable(value)])


def _usable(value: Value) -> tuple[Value, ...]:
    """The options that do not raise at once: None among others has no items and no elements."""
    possible = options(value)
    return tuple(option for option in possible if option != NONE) or possible


def _element(world: World, value: Value) -> Value:
    match value:
        case Container(element=element):
            return element
        case TupleOf(elements=elements):
            return union(list(elements)) if elements else UNKNOWN
        case DictOf(entries=entries, key=key):
            if key is not UNKNOWN:
                return key
            return union([Const(name) for name, _ in entries]) if entries else UNKNOWN
        case Const(value=str()):
            return Instance(External("builtins.str"))
        case Instance(cls=ClassValue()):
            return _iterated_instance(world, value)
        case Instance(cls=External()) if is_array(value):
            return Instance(value.cls)
        case ClassValue(definition=cls):
            from driftcheck.infer.hierarchy import is_enum

            return Instance(value, True) if is_enum(world, cls) else UNKNOWN
    return UNKNOWN


def _iterated_instance(world: World, value: Value) -> Value:
    from driftcheck.infer.attributes import lookup
    from driftcheck.infer.callables import return_value

    found = lookup(world, value, "__iter__").value
    if isinstance(found, FunctionValue):
        result = return_value(world, found, None)
        if isinstance(result, Container):
            return result.element
    return UNKNOWN


def iterate(world: World, value: Value, count: int) -> list[Value]:
    """The values of ``count`` targets that unpack ``value``."""
    if (
        isinstance(value, (TupleOf, Container))
        and value.elements is not None
        and len(value.elements) == count
    ):
        return list(value.elements)
    return [element_of(world, value)] * count


def subscript(world: World, value: Value, index: Value | slice | None) -> Value:
    """What ``value[index]`` gives; ``index`` is None for a slice whose bounds are not known."""
    if isinstance(index, slice):
        return union([_sliced(world, option, index) for option in _usable(value)])
    return union([_item(world, option, index) for option in _usable(value)])


def _sliced(world: World, value: Value, bounds: slice) -> Value:
    """A slice with known bounds: of known elements, or of a string, those; else what any slice gives."""
    match value:
        case TupleOf(elements=elements):
            return TupleOf(elements[bounds])
        case Container(kind=kind, elements=tuple() as elements):
            kept = elements[bounds]
            return Container(kind, union(list(kept)) if kept else UNKNOWN, kept)
        case Const(value=str() | tuple() as constant):
            return constant_value(constant[bounds])
    return _item(world, value, None)


def _item(world: World, value: Value, index: Value | None) -> Value:
    match value:
        case TupleOf(elements=elements):
            if index is None:
                return Container("tuple", union(list(elements)) if elements else UNKNOWN)
            return _at(elements, index)
        case Container(elements=elements, element=element, kind=kind):
            if index is None:
                return Container(kind, element)
            if elements is not None and isinstance(index, Const):
                return _at(elements, index)
            return ITEM if element is UNKNOWN and kind == "list" and elements is None else element
        case DictOf():
            if isinstance(index, Const) and isinstance(index.value, str):
                found = value.get(index.value)
                if found is not None:
                    return found
            return value.value
        case Const(value=Found() as match) if isinstance(index, Const):
            try:
                return Const(match[index.value])
            except (IndexError, KeyError, TypeError):
                return UNKNOWN
        case Const(value=str() as text):
            if (
                isinstance(index, Const)
                and isinstance(index.value, int)
                and -len(text) <= index.value < len(text)
            ):
                return Const(text[index.value])
            return Instance(External("builtins.str"))
        case Instance(cls=External()) if is_array(value):
            return value if index is None else Instance(value.cls)
        case Instance(cls=ClassValue()):
            return _called_item(world, value)
        case ClassValue(definition=cls):
            from driftcheck.infer.hierarchy import is_enum

            return Instance(value, True) if is_enum(world, cls) else value
        case External(path="sys.modules") if isinstance(index, Const) and isinstance(index.value, str):
            module = world.imported(index.value)
            return UNKNOWN if isinstance(module, Missing) else module
        case External(path=path):
            return External(path)
    return UNKNOWN


def _called_item(world: World, value: Value) -> Value:
    from driftcheck.infer.attributes import lookup
    from driftcheck.infer.callables import return_value

    found = lookup(world, value, "__getitem__").value
    return return_value(world, found, None) if isinstance(found, FunctionValue) else UNKNOWN


def _at(elements: tuple[Value, ...], index: Value) -> Value:
    if isinstance(index, Const) and isinstance(index.value, int):
        if -len(elements) <= index.value < len(elements):
            return elements[index.value]
        return UNKNOWN
    return union(list(elements)) if elements else UNKNOWN


def with_entry(mapping: DictOf, name: str, value: Value, path: str, node: ast.AST) -> DictOf:
    """The mapping with one more known key, written at ``node`` of the file ``path``."""
    return with_entries(mapping, [(name, value, node)], path)


def with_entries(mapping: DictOf, written: list[tuple[str, Value, ast.AST]], path: str) -> DictOf:
    """The mapping with more known keys, each with the node of the file ``path`` that writes it; the last wins."""
    if not written:
        return mapping
    new = {name: (value, node) for name, value, node in written}
    entries = (
        *((k, v) for k, v in mapping.entries if k not in new),
        *((name, value) for name, (value, _) in new.items()),
    )
    places = (
        *(p for p in mapping.places if p[0] not in new),
        *((name, path, node) for name, (_, node) in new.items()),
    )
    values = [value for _, value, _ in written]
    return replace(
        mapping,
        entries=entries,
        places=places,
        value=union([mapping.value, *values]) if mapping.entries else union(values),
    )


def without_entry(mapping: DictOf, name: str) -> DictOf:
    """The mapping without one key."""
    return replace(mapping, entries=tuple((k, v) for k, v in mapping.entries if k != name))


def merged(left: Value, right: Value) -> DictOf:
    """What ``{**left, **right}`` gives."""
    if not isinstance(left, DictOf):
        left = DictOf()
    if not isinstance(right, DictOf):
        return replace(left, closed=False)
    names = {k for k, _ in right.entries}
    entries = (*((k, v) for k, v in left.entries if k not in names), *right.entries)
    values = [v for m in (left, right) for v in ([m.value] if m.value is not UNKNOWN else [])]
    return DictOf(
        entries,
        left.closed and right.closed,
        left.key if left.key == right.key else UNKNOWN,
        union(values) if values else UNKNOWN,
        (*(p for p in left.places if p[0] not in names), *right.places),
    )


_ELEMENT_METHODS = frozenset({"pop", "popleft", "__getitem__", "popitem"})


def method_result(world: World, receiver: Value, name: str, args: list[Value]) -> Value:
    """What a method of a built-in object gives."""
    match receiver:
        case DictOf():
            return _dict_method(receiver, name, args)
        case Container(kind=kind, element=element):
            if name in _ELEMENT_METHODS:
                return element
            if name == "copy":
                return receiver
            if name in ("index", "count"):
                return Instance(External("builtins.int"))
            if name in (
                "append",
                "extend",
                "insert",
                "add",
                "remove",
                "clear",
                "sort",
                "reverse",
                "discard",
                "update",
            ):
                return NONE
            if name == "__aiter__" or kind == "names":
                return receiver
        case Const(value=constant):
            return _const_method(constant, name, args)
        case Instance(cls=External(path="builtins.str")):
            return _STR_RESULTS.get(name, UNKNOWN)
    return UNKNOWN


_STR = Instance(External("builtins.str"))
_STR_RESULTS: dict[str, Value] = {
    **dict.fromkeys(
        ("lower", "upper", "strip", "lstrip", "rstrip", "replace", "format", "join", "title"), _STR
    ),
    **dict.fromkeys(("split", "rsplit", "splitlines"), Container("list", _STR)),
    **dict.fromkeys(("startswith", "endswith", "isdigit"), Instance(External("builtins.bool"))),
}


def _dict_method(mapping: DictOf, name: str, args: list[Value]) -> Value:
    key = args[0].value if args and isinstance(args[0], Const) else None
    known = mapping.get(key) if isinstance(key, str) else None
    if name in ("get", "pop", "setdefault"):
        if known is not None:
            return known
        default = args[1] if len(args) > 1 else NONE
        if mapping.closed and isinstance(key, str):
            return default
        return union([mapping.value, default]) if mapping.value is not UNKNOWN else UNKNOWN
    if name == "keys":
        element = mapping.key if mapping.key is not UNKNOWN else UNKNOWN
        return Container(
            "dict_keys", element, tuple(Const(k) for k, _ in mapping.entries) if mapping.closed else None
        )
    if name == "values":
        return Container(
            "dict_values",
            mapping.value,
            tuple(v for _, v in mapping.entries) if mapping.closed and mapping.entries else None,
        )
    if name == "items":
        pairs = tuple(TupleOf((Const(k), v)) for k, v in mapping.entries) if mapping.closed else ()
        return Container("dict_items", TupleOf((mapping.key, mapping.value)), pairs or None)
    if name == "copy":
        return mapping
    if name in ("update", "clear"):
        return NONE
    return UNKNOWN


_PURE = (str, bytes, int, float, tuple, Specifier, SpecifierSet, Found)


def _const_method(constant: object, name: str, args: list[Value]) -> Value:
    if isinstance(constant, re.Pattern) and name in NAMES:
        return method_of_pattern(constant, name, args)
    args = [_whole(a) for a in args]
    if name == "join" and len(args) == 1:
        parts = getattr(args[0], "elements", None)
        if parts is not None and all(isinstance(part, Const) for part in parts):
            args = [Const(tuple(part.value for part in parts))]
    if not isinstance(constant, _PURE) or not all(isinstance(a, Const) for a in args):
        return UNKNOWN
    if name.startswith("__") or name in (
        "format",
        "format_map",
        "zfill",
        "center",
        "ljust",
        "rjust",
        "expandtabs",
    ):
        return UNKNOWN
    try:
        result = getattr(constant, name)(*[a.value for a in args if isinstance(a, Const)])
    except Exception:
        return UNKNOWN
    return constant_value(result)


def _whole(value: Value) -> Value:
    """A tuple all of whose elements are known as one constant: ``startswith`` takes such."""
    if isinstance(value, TupleOf) and all(isinstance(e, Const) for e in value.elements):
        return Const(tuple(e.value for e in value.elements if isinstance(e, Const)))
    return value


def constant_value(result: object) -> Value:
    """A computed Python object as a value."""
    if isinstance(result, (list, tuple)):
        parts = tuple(constant_value(part) for part in result)
        return (
            TupleOf(parts)
            if isinstance(result, tuple)
            else Container("list", union(list(parts)) if parts else UNKNOWN, parts)
        )
    if isinstance(result, dict):
        return DictOf(tuple((name, constant_value(part)) for name, part in result.items()), True)
    try:
        hash(result)
    except TypeError:
        return UNKNOWN
    return Const(result)
