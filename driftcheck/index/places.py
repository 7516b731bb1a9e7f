"""The function that holds a place of a file, found in its outline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.outline import Item


@dataclass(frozen=True)
class Place:
    """The outermost function around a place (None at module or class level)."""

    module: Module
    function: FunctionDef | None
    item: Item


def places_of(module: Module, pattern: re.Pattern[str]) -> Iterator[Place]:
    """The functions whose code (strings and comments aside) matches a pattern, each once."""
    blank = module.source.blank
    last: Item | None = None
    for match in pattern.finditer(blank):
        if last is not None and last.start <= match.start() < last.end:
            continue
        found = _at(module, module.source.items, match.start(), None)
        if found is not None:
            last = found.item
            yield found


def function_around(module: Module, line: int, column: int) -> FunctionDef | None:
    """The outermost function around a place of a module."""
    found = _at(module, module.source.items, module.source.offset(line, column), None)
    return found.function if found is not None else None


def _at(module: Module, items: list[Item], offset: int, owner: ClassDef | None) -> Place | None:
    for item in items:
        if not item.start <= offset < item.end:
            continue
        if item.kind == "def":
            return Place(module, module.function_of(item, owner), item)
        if item.kind == "class":
            cls = module.class_of(item, owner)
            return _at(module, item.body() or [], offset, cls) or Place(module, None, item)
        if item.is_block:
            return _at(module, item.body() or [], offset, owner) or Place(module, None, item)
        return Place(module, None, item)
    return None
