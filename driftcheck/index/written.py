"""What a module writes into its own namespace by other means than a binding."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from driftcheck.index.outline import Item
from driftcheck.index.source import Source

_WRITES = re.compile(
    r"\bglobals\(\)\s*(?:\[|\.update)|\bexec\(|\blocals\(\)\["
    # The module as an object, unless a plain attribute is only read of it.
    r"|\bsys\.modules\[\s*__name__\s*\](?!\s*\.\s*(?!__)\w+\b(?!\s*=(?!=)))"
)
_WORDS = ("globals()", "sys.modules[", "exec(", "locals()[")
_REPLACED = re.compile(r"^[ \t]*sys\.modules\[\s*__name__\s*\]\s*=\s*(\w+)\(", re.MULTILINE)
_KEY = re.compile(r"globals\(\)\s*\[\s*(?:(\w+)|[\"'](\w+)[\"'])\s*\]")
_LOOP = re.compile(r"for\s+(\w+)\s+in\s+([(\[{].*[)\]}])\s*:\Z", re.DOTALL)


def is_dynamic(source: Source) -> bool:
    """Whether the module writes its own namespace in ways that an outline cannot follow."""
    text = source.text
    return any(word in text for word in _WORDS) and _WRITES.search(text) is not None


def stand_in(source: Source) -> str | None:
    """The class that the module makes an object of and puts that in its own place."""
    found = _REPLACED.search(source.text) if "sys.modules[" in source.text else None
    return None if found is None else found[1]


def may_write(source: Source, functions: list[Item], name: str, later: bool) -> bool:
    """Whether the module may give the name a value as it runs; ``later``: or when a function of it is called.

    What is written under a literal name, or under each of a loop's literal names, is no other.
    """
    if not is_dynamic(source):
        return False
    inside = [(item.start, item.end) for item in functions]
    for found in _WRITES.finditer(source.text):
        at = found.start()
        if not later and any(start <= at < end for start, end in inside):
            continue
        names = _names_at(source, at)
        if names is None or name in names:
            return True
    return False


def _names_at(source: Source, at: int) -> frozenset[str] | None:
    """The names that may be written at a place; None where anything may be."""
    key = _KEY.match(source.text, at)
    if key is None:
        return None
    if key[2] is not None:
        return frozenset({key[2]})
    loops = [names for variable, names in _loops(source, source.items, at) if variable == key[1]]
    return loops[-1] if loops else None


def _loops(source: Source, items: list[Item], at: int) -> Iterator[tuple[str, frozenset[str]]]:
    """The loops over literal strings around a place, from the outside in."""
    for item in items:
        if not item.start <= at < item.end or not item.is_block:
            continue
        header = _LOOP.match(source.text[item.start : item.header_end()]) if item.kind == "for" else None
        values = _strings(header[2]) if header is not None else None
        if header is not None and values is not None:
            yield header[1], values
        yield from _loops(source, item.body() or [], at)


def _strings(text: str) -> frozenset[str] | None:
    """The strings that a literal display lists, and nothing but strings."""
    try:
        values = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return frozenset(values) if all(isinstance(value, str) for value in values) else None
