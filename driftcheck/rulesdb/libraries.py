"""Facts about libraries: strict loading of rules/<library>/*.toml into typed structs."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import inspect

from driftcheck.rulesdb.errors import RulesError, refuse_irregular

T = TypeVar("T")
_MANY = (inspect.ListType, inspect.SetType, inspect.FrozenSetType, inspect.VarTupleType)


def toml_files(root: Path) -> list[Path]:
    """Every facts file below a rules directory, in one order on every machine."""
    return sorted(root.glob("*/*.toml"))


def load_toml(path: Path, type_: type[T]) -> T:
    """The file decoded into ``type_``.

    Structs that set ``forbid_unknown_fields`` reject keys they do not have; the message then lists
    those they do, and proposes the nearest. Raises RulesError naming the file, the key and what is
    allowed there.
    """
    refuse_irregular(path)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesError.at(path, None, str(error)) from error
    except RecursionError as error:
        raise RulesError.at(path, None, "values are nested too deeply") from error
    try:
        return msgspec.convert(raw, type_)
    except msgspec.ValidationError as error:
        raise RulesError.at(path, None, explain(str(error), type_)) from error


def explain(message: str, type_: type) -> str:
    """The decoder's message with the place as a person writes it and what may stand there."""
    problem, _, place = message.partition(" - at `")
    place = place.rstrip("`")
    keys = [key for key in place.replace("[", ".[").removeprefix("$").split(".") if key]
    allowed = _allowed(_walk(inspect.type_info(type_), keys))
    parts = [problem]
    if keys:
        parts.append(f" at {'.'.join(keys).replace('.[', '[')}")
    if allowed:
        wrong = problem.rpartition("`")[0].rpartition("`")[2] or problem.rpartition("'")[0].rpartition("'")[2]
        near = difflib.get_close_matches(wrong, allowed, 1)
        if near and near[0] != wrong:
            parts.append(f" (did you mean {near[0]!r}?)")
        parts.append(f"; allowed: {', '.join(allowed)}")
    return "".join(parts)


def _walk(kind: inspect.Type, keys: list[str]) -> inspect.Type:
    for key in keys:
        kind = _single(kind)
        if isinstance(kind, inspect.StructType):
            fields = {field.encode_name: field.type for field in kind.fields}
            if key not in fields:
                return kind
            kind = fields[key]
        elif isinstance(kind, inspect.DictType):
            kind = kind.value_type
        elif isinstance(kind, _MANY):
            kind = kind.item_type
        else:
            return kind
    return _single(kind)


def _single(kind: inspect.Type) -> inspect.Type:
    """An optional type without its None."""
    if isinstance(kind, inspect.UnionType):
        others = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
        if len(others) == 1:
            return others[0]
    return kind


def _allowed(kind: inspect.Type) -> list[str]:
    if isinstance(kind, inspect.StructType):
        return [field.encode_name for field in kind.fields]
    if isinstance(kind, inspect.LiteralType):
        return [str(value) for value in kind.values]
    if isinstance(kind, inspect.EnumType):
        return [str(member.value) for member in kind.cls]
    return []
