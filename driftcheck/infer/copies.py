"""Which modules of the provider took a name by ``from … import`` before it was replaced."""

from __future__ import annotations

import re
from dataclasses import dataclass

from driftcheck.infer.callsites import Site, function_sites
from driftcheck.infer.replacements import Replaced, how_module_site
from driftcheck.infer.world import World


@dataclass(frozen=True)
class Effect:
    """The calls that meet the replacement, and those that go to a copy of the original."""

    through: tuple[Site, ...]
    copies: tuple[Site, ...]


def effect_of(world: World, patch: Replaced) -> Effect:
    """Where replacing a module's name shows: calls through the module, and calls of copies of it."""
    through: list[Site] = []
    copies: list[Site] = []
    for site in function_sites(world, patch.name):
        how = how_module_site(world, patch, site)
        if how == "through":
            through.append(site)
        elif how == "copy":
            copies.append(site)
    return Effect(tuple(through), tuple(copies))


def no_longer_reached(world: World, before: World, patch: Replaced, earlier: Replaced) -> tuple[Site, ...]:
    """The copies that calls go to on this version, where none goes through the module and some did before."""
    if patch.module is None or _is_read_inside(world, patch):
        return ()
    now = effect_of(world, patch)
    if now.through or not now.copies:
        return ()
    return now.copies if _is_read_inside(before, earlier) or effect_of(before, earlier).through else ()


def _is_read_inside(world: World, patch: Replaced) -> bool:
    """Whether the module that holds the name reads it itself, in whatever form."""
    module = world.module(patch.module or "")
    if module is None:
        return True
    mentions = re.findall(
        rf"(?<!def )(?<!class )\b{re.escape(patch.name)}\b(?!\s*[:=](?!=))", module.source.blank
    )
    imports = sum(b.kind == "from" for b in module.bindings.get(patch.name, ()))
    return len(mentions) > imports
