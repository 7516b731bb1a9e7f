"""What a string that names something in a module stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from driftcheck.infer.attributes import lookup
from driftcheck.infer.values import UNKNOWN, Missing, ModuleValue, Value, options
from driftcheck.infer.world import World

DOTTED = re.compile(r"(?=.*[.:])[^\W\d]\w*(?:\.[^\W\d]\w*)*(?::[^\W\d]\w*(?:\.[^\W\d]\w*)*)?")
"""``pkg.mod.Class`` and ``pkg.mod:Class.method``: what a reference by string looks like as a whole."""


@dataclass(frozen=True)
class Resolved:
    """What a dotted string names. ``missing`` is the first part that is not there, as a dotted name.

    ``owner`` is what that part (or the whole) was looked up on, ``name`` its last name.
    """

    value: Value
    owner: Value
    name: str
    missing: str | None = None

    @property
    def in_module(self) -> bool:
        """Whether the part in question is looked up on a module."""
        return isinstance(self.owner, ModuleValue)


def resolve_string(world: World, text: str) -> Resolved | None:
    """What ``pkg.mod.Class``, ``pkg.mod:Class`` or ``pkg.mod`` names; None for anything else.

    The longest leading part that is a module counts as the module, unless a colon says where it ends.
    """
    if not DOTTED.fullmatch(text) and not text.isidentifier():
        return None
    module, colon, attributes = text.partition(":")
    parts = attributes.split(".") if colon else []
    if not colon:
        module, parts = _split(world, module)
    value = world.imported(module)
    if isinstance(value, Missing):
        return Resolved(UNKNOWN, UNKNOWN, module.rpartition(".")[2], value.symbol)
    if not isinstance(value, ModuleValue):
        return None
    return _through(world, value, parts)


def _split(world: World, text: str) -> tuple[str, list[str]]:
    """The module part of a dotted path and the attributes below it."""
    parts = text.split(".")
    for end in range(len(parts), 0, -1):
        if isinstance(world.imported(".".join(parts[:end])), ModuleValue):
            return ".".join(parts[:end]), parts[end:]
    return text, []


def _through(world: World, module: ModuleValue, parts: list[str]) -> Resolved | None:
    owner: Value = module
    value: Value = module
    path = module.name
    name = module.name.rpartition(".")[2]
    for name in parts:
        owner = value
        path += f".{name}"
        found = [lookup(world, option, name) for option in options(owner)]
        if any(answer.status == "unknown" for answer in found):
            return None
        if any(answer.status == "missing" for answer in found):
            return Resolved(UNKNOWN, owner, name, path)
        value = found[0].value if len(found) == 1 else UNKNOWN
    return Resolved(value, owner, name)
