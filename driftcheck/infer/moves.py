"""Where a name or module that is gone may be found now."""

from __future__ import annotations

from dataclasses import dataclass

from driftcheck.index.module import Binding, Module
from driftcheck.infer.values import UNKNOWN, Value
from driftcheck.infer.world import World


@dataclass(frozen=True, slots=True)
class Move:
    """The new place: the module that defines the name, the line, and how a message says it."""

    module: Module
    name: str
    line: int
    phrase: str
    sure: bool


def moved_name(world: World, module: str, name: str) -> Move | None:
    """Where the provider defines ``name`` now; the nearest module wins, None where it is defined nowhere."""
    key = ("moved-name", module, name)
    if key not in world.cache:
        world.cache[key] = _moved_name(world, module, name)
    return world.cache[key]


def _moved_name(world: World, module: str, name: str) -> Move | None:
    candidates: list[tuple[Module, Binding]] = []
    for other in world.provider.modules_defining(name):
        bindings = [b for b in other.bindings.get(name, []) if b.kind in ("def", "class", "value")]
        if bindings and other.name != module:
            candidates.append((other, bindings[-1]))
    if not candidates:
        return None
    candidates.sort(key=lambda pair: (-_nearness(module, pair[0].name), len(pair[0].name), pair[0].name))
    best, binding = candidates[0]
    line = best.source.line_at(binding.item.start)
    sure = len(candidates) == 1 or binding.kind != "value"
    phrase = f"it is defined in {best.name} now"
    return Move(best, name, line, phrase, sure and len(candidates) == 1)


def _nearness(old: str, new: str) -> int:
    """How many leading parts two dotted names share."""
    count = 0
    for a, b in zip(old.split("."), new.split("."), strict=False):
        if a != b:
            break
        count += 1
    return count


def moved_module(world: World, module: str, name: str | None) -> Move | None:
    """Where a module that is gone went: the one that defines the name taken from it, or of the same last part."""
    if name is not None:
        found = moved_name(world, module, name)
        if found is not None:
            return found
    return None


def moved_value(world: World, module: str, name: str) -> Value:
    """The definition at the new place, so that what is done with it is still checked."""
    move = moved_name(world, module, name)
    if move is None or not move.sure:
        return UNKNOWN
    return world.member(move.module, move.name)
