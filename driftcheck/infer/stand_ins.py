"""Modules that put another object in their own place, and tell type checkers what names that has."""

from __future__ import annotations

import re

from driftcheck.index.module import Module
from driftcheck.infer.values import UNKNOWN, ClassValue, Missing, Value
from driftcheck.infer.world import World

_AFFIX = re.compile(r"\.(ends|starts)with\(\s*[\"'](\w+)[\"']")


def told(world: World, module: Module, name: str, types: bool) -> Value:
    """What such a module has under a name that it does not bind itself: what type checkers see.

    A name that they do not see is gone where the tree says it nowhere, so that nothing can list it.
    """
    if types:
        return Missing(f"{module.name}.{name}")
    index = world.index_of(module.name)
    word = re.compile(rf"\b{re.escape(name)}\b".encode())
    if index is None or any(word.search(index.peek(path)) for path in index.files_mentioning(name)):
        value = world.member(module, name, True)
        return UNKNOWN if isinstance(value, Missing) else value
    return UNKNOWN if _may_make_up(world, module, name) else Missing(f"{module.name}.{name}")


def _may_make_up(world: World, module: Module, name: str) -> bool:
    """Whether the object that stands in may answer to a name that it finds by its beginning or end."""
    standing = world.member(module, module.stand_in or "")
    if not isinstance(standing, ClassValue):
        return True
    parts = _AFFIX.findall(standing.definition.module.source.text)
    return any(name.endswith(part) if how == "ends" else name.startswith(part) for how, part in parts)
