"""Where an override is of another kind than its base's: a property for a method, a coroutine or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from driftcheck.infer.callables import has_opaque_decorator, kind_of, return_value
from driftcheck.infer.callsites import Site, member_sites
from driftcheck.infer.overrides import Override
from driftcheck.infer.reaching import Reach, reaches
from driftcheck.infer.values import (
    NONE,
    ClassValue,
    Const,
    Container,
    DictOf,
    FunctionValue,
    Instance,
    TupleOf,
)
from driftcheck.infer.world import World

Difference = Literal["called", "read", "awaited", "not-awaited"]


@dataclass(frozen=True)
class KindMismatch:
    """How the provider uses what the override is not made for, at one place."""

    kind: Difference
    site: Site
    reach: Reach


def kind_mismatch(world: World, override: Override) -> KindMismatch | None:
    """The first use by the provider that suits its own member and not the override; None without any."""
    ours, theirs = override.function, override.base_function
    if (
        ours is None
        or theirs is None
        or has_opaque_decorator(world, ours)
        or has_opaque_decorator(world, theirs)
    ):
        return None
    mine, their = kind_of(world, ours) == "property", kind_of(world, theirs) == "property"
    if mine and not their:
        return _first(world, override, "called", lambda site: site.call is not None)
    if their and not mine:
        return _first(world, override, "read", lambda site: site.call is None)
    if mine or ours.is_generator or theirs.is_generator:
        return None
    if theirs.is_async and not ours.is_async and _gives_plain_value(world, override):
        return _first(world, override, "awaited", lambda site: site.awaited)
    if ours.is_async and not theirs.is_async and _never_awaitable(world, override):
        return _first(world, override, "not-awaited", lambda site: site.call is not None and not site.awaited)
    return None


def _first(
    world: World, override: Override, kind: Difference, wanted: Callable[[Site], bool]
) -> KindMismatch | None:
    for site in member_sites(world, override.name):
        if wanted(site):
            reach = reaches(world, site, override)
            if reach is not None:
                return KindMismatch(kind, site, reach)
    return None


def _gives_plain_value(world: World, override: Override) -> bool:
    """Whether the override certainly returns something that cannot be awaited."""
    assert override.function is not None
    value = return_value(
        world, FunctionValue(override.function, Instance(ClassValue(override.line.cls))), None
    )
    return value == NONE or isinstance(value, (Const, Container, DictOf, TupleOf))


def _never_awaitable(world: World, override: Override) -> bool:
    """Whether the base's method certainly returns something that is used as it is."""
    assert override.base_function is not None
    value = return_value(
        world, FunctionValue(override.base_function, Instance(ClassValue(override.base))), None
    )
    return value == NONE or isinstance(value, (Const, Container, DictOf, TupleOf))
