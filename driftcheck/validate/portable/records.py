"""Dataclasses to and from JSON values."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any, TypeVar

T = TypeVar("T")


class RecordError(ValueError):
    """A JSON value does not have the form of the record it is read as."""


def to_json(value: Any) -> Any:
    """The JSON value of a record; fields that hold their default None are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: to_json(item) for name, item in pairs if item is not None}
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    return value


def from_json(kind: type[T], value: Any) -> T:
    """The record of type ``kind`` that ``value`` spells; keys it does not know are ignored.

    Raises RecordError where something is missing or of another type.
    """
    return typing.cast(T, _convert(kind, value, kind.__name__))


def _convert(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        members = typing.get_args(kind)
        if value is None and type(None) in members:
            return None
        return _convert(next(one for one in members if one is not type(None)), value, where)
    if origin is list:
        _expect(list, value, where)
        (item,) = typing.get_args(kind)
        return [_convert(item, one, f"{where}[{at}]") for at, one in enumerate(value)]
    if origin is dict:
        _expect(dict, value, where)
        _, item = typing.get_args(kind)
        return {key: _convert(item, one, f"{where}.{key}") for key, one in value.items()}
    if dataclasses.is_dataclass(kind):
        return _record(kind, value, where)
    if kind is float and isinstance(value, int):
        return float(value)
    _expect(kind, value, where)
    return value


def _record(kind: Any, value: Any, where: str) -> Any:
    _expect(dict, value, where)
    hints = typing.get_type_hints(kind)
    arguments = {}
    for field in dataclasses.fields(kind):
        if field.name in value:
            arguments[field.name] = _convert(hints[field.name], value[field.name], f"{where}.{field.name}")
        elif type(None) in typing.get_args(hints[field.name]):
            arguments[field.name] = None
    try:
        return kind(**arguments)
    except TypeError as error:
        raise RecordError(f"{where}: {error}") from error


def _expect(kind: type, value: Any, where: str) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecordError(f"{where}: {kind.__name__} expected, not {type(value).__name__}")
