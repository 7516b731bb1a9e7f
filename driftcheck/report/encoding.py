"""JSON text of any report, also of one that names a file whose name is no Unicode."""

from __future__ import annotations

from typing import Any

import msgspec


def encoded(value: Any) -> str:
    """The value as JSON on one line; lone surrogates, which JSON cannot hold, as their escapes."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_clean(msgspec.to_builtins(value))).decode()


def indented(value: Any) -> str:
    """The value as JSON indented by two spaces, ending in a newline."""
    return msgspec.json.format(encoded(value), indent=2) + "\n"


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_clean(key): _clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner) for inner in value]
    return value
