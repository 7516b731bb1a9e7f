"""Where a whole module or package went."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from driftcheck.index.module import Module
from driftcheck.infer.world import World

ASKED = 12
"""How many of a module's definitions are looked for: the longest names, which are the rarest."""


@dataclass(frozen=True, slots=True)
class Home:
    """The module that took over, and whether most of the old one's definitions are there."""

    module: Module
    sure: bool


def module_home(world: World, module: str) -> Home | None:
    """The module that has what ``module`` had; None where its parts went to several or to none."""
    key = ("module-home", module)
    if key not in world.cache:
        world.cache[key] = _home(world, module)
    return world.cache[key]


def _home(world: World, module: str) -> Home | None:
    old = world.known_good.module(module) if world.known_good is not None else None
    if old is not None:
        found = _by_definitions(world, old)
        if found is not None or _names(old):
            return found
    return _by_path(world, module)


def _names(module: Module) -> list[str]:
    names = [
        n
        for n, group in module.bindings.items()
        if group[-1].kind in ("def", "class") and not n.startswith("__")
    ]
    return sorted(names, key=lambda n: (-len(n), n))[:ASKED]


def _by_definitions(world: World, old: Module) -> Home | None:
    """The module that defines at least half of the old one's names, more than any other."""
    names = _names(old)
    votes: dict[str, int] = defaultdict(int)
    modules: dict[str, Module] = {}
    for name in names:
        for other in world.provider.modules_defining(name):
            if any(b.kind in ("def", "class") for b in other.bindings.get(name, ())):
                votes[other.name] += 1
                modules[other.name] = other
    ranked = sorted(votes, key=lambda n: (-votes[n], -_shared_end(old.name, n), n))
    if not ranked:
        return None
    best = ranked[0]
    rivals = [
        n
        for n in ranked[1:]
        if votes[n] == votes[best] and _shared_end(old.name, n) == _shared_end(old.name, best)
    ]
    if votes[best] * 2 < len(names) or rivals:
        return None
    enough = votes[best] * 3 >= len(names) * 2
    return Home(modules[best], enough and (len(names) > 1 or _shared_end(old.name, best) > 0))


def _by_path(world: World, module: str) -> Home | None:
    """The only module whose dotted name ends like the old one's, or that differs by an underscore."""
    last = module.rpartition(".")[2]
    found: dict[str, int] = {}
    for path in world.provider.tree.python_files:
        name = world.provider.module_name(path)
        if name.rpartition(".")[2].lstrip("_") == last.lstrip("_"):
            found[name] = _shared_end(module, name)
    if not found:
        return None
    longest = max(found.values())
    best = [name for name, shared in found.items() if shared == longest]
    home = world.module(best[0])
    if len(best) > 1 or home is None or (longest < 2 and len(found) > 1):
        return None
    return Home(home, False)


def _shared_end(one: str, other: str) -> int:
    """How many trailing parts two dotted names share, a leading underscore passed over."""
    count = 0
    for a, b in zip(reversed(one.split(".")), reversed(other.split(".")), strict=False):
        if a.lstrip("_") != b.lstrip("_"):
            break
        count += 1
    return count
