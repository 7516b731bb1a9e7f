"""Operators on abstract values: arithmetic, comparison, identity, membership."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from packaging.specifiers import Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.infer.arrays import is_array
from driftcheck.infer.containers import merged
from driftcheck.infer.values import (
    NONE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    Missing,
    ModuleValue,
    TupleOf,
    Value,
    options,
    union,
)

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
}


def combine(left: Value, op: ast.operator, right: Value) -> Value:
    """The value of ``left op right``."""
    match left, right:
        case Const(value=a), Const(value=b) if type(op) in _ARITHMETIC and not _huge(a, b):
            try:
                return Const(_ARITHMETIC[type(op)](a, b))
            except Exception:
                return UNKNOWN
        case TupleOf(elements=a), TupleOf(elements=b) if isinstance(op, ast.Add):
            return TupleOf(a + b) if len(a) + len(b) <= _LARGEST else UNKNOWN
        case Container(kind=kind, elements=a, element=e), Container(elements=b, element=f) if isinstance(
            op, ast.Add
        ):
            if a is not None and b is not None and len(a) + len(b) <= _LARGEST:
                return Container(kind, union([*a, *b]), a + b)
            return Container(kind, union([e, f]))
        case Container(kind=kind, element=e), _ if isinstance(op, ast.Mult):
            return Container(kind, e)
        case DictOf(), DictOf() if isinstance(op, ast.BitOr):
            return merged(left, right)
    return array_of(left, right) or UNKNOWN


_LARGEST = 10_000
_WIDTH = re.compile(r"\d{4}|\*")


def _huge(a: object, b: object) -> bool:
    """Whether the result may be large out of all proportion: names that add up names, a field's width."""
    if any(isinstance(v, (str, bytes)) and len(v) > _LARGEST for v in (a, b)):
        return True
    if isinstance(a, bytes):
        a = a.decode("latin-1")
    return isinstance(a, str) and "%" in a and _WIDTH.search(a) is not None


ORDERINGS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def compared(left: Value, op: ast.cmpop, right: Value) -> bool | None:
    """The outcome of one comparison, None where it is not known."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _identical(left, right)
        return None if same is None else same is isinstance(op, ast.Is)
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = _contains(left, right)
        return None if inside is None else inside is isinstance(op, ast.In)
    a, b = _python(left), _python(right)
    if a is _NO or b is _NO:
        return None
    try:
        return bool(ORDERINGS[type(op)](a, b))
    except Exception:
        return None


def array_of(left: Value, right: Value) -> Value | None:
    """The array that an element-wise comparison gives, where one side is one."""
    return next((value for value in (left, right) if is_array(value)), None)


_NO = object()


def _python(value: Value) -> Any:
    """The Python object of a value all of whose parts are known."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, TupleOf):
        parts = [_python(v) for v in value.elements]
        return _NO if _NO in parts else tuple(parts)
    if isinstance(value, Container) and value.kind == "list" and value.elements is not None:
        parts = [_python(v) for v in value.elements]
        return _NO if any(p is _NO for p in parts) else parts
    return _NO


def _identical(left: Value, right: Value) -> bool | None:
    if isinstance(left, Const) and isinstance(right, Const):
        if left.value is None or right.value is None or isinstance(left.value, bool):
            return left == right
        return None
    for value, other in ((left, right), (right, left)):
        if other == NONE:
            kinds = [_is_none(option) for option in options(value)]
            return kinds[0] if len(set(kinds)) == 1 else None
    if isinstance(left, (ClassValue, ModuleValue)) and isinstance(right, (ClassValue, ModuleValue)):
        return left == right
    return None


def _is_none(value: Value) -> bool | None:
    match value:
        case Const(value=constant):
            return constant is None
        case External() | Missing():
            return None
        case _:
            return None if value is UNKNOWN else False


def _fits(version: object, wanted: Specifier | SpecifierSet) -> bool | None:
    """Whether a version is in a range; None for what is none."""
    if not isinstance(version, (str, Version)):
        return None
    try:
        return wanted.contains(version)
    except InvalidVersion:
        return None


def _contains(item: Value, container: Value) -> bool | None:
    wanted = _python(item)
    if wanted is _NO:
        return None
    if isinstance(container, DictOf):
        if isinstance(wanted, str) and container.get(wanted) is not None:
            return True
        return False if container.closed else None
    if isinstance(container, Const) and isinstance(container.value, (Specifier, SpecifierSet)):
        return _fits(wanted, container.value)
    if isinstance(container, Const) and isinstance(container.value, str) and isinstance(wanted, str):
        return wanted in container.value
    if isinstance(container, (TupleOf, Container)):
        elements = container.elements
        if elements is None:
            return None
        parts = [_python(v) for v in elements]
        if wanted in [p for p in parts if p is not _NO]:
            return True
        return None if any(p is _NO for p in parts) else False
    return None
