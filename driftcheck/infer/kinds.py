"""Where an override is of another kind than its base's: a property for a method, a coroutine or none."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from driftcheck.infer.attributes import lookup
from driftcheck.infer.callables import has_opaque_decorator, kind_of, return_value
from driftcheck.infer.callsites import Site, member_sites
from driftcheck.infer.overrides import Override
from driftcheck.infer.reaching import Reach, reaches
from driftcheck.infer.straight import straight_calls
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

Difference = Literal["called", "no-function", "read", "awaited", "not-awaited"]


@dataclass(frozen=True)
class KindMismatch:
    """How the provider uses what the override is not made for, at one place."""

    kind: Difference
    site: Site
    reach: Reach


def kind_mismatch(world: World, override: Override) -> KindMismatch | None:
    """The first use by the provider that suits its own member and not the override; None without any."""
    ours, theirs = override.function, override.base_function
    if theirs is None or has_opaque_decorator(world, theirs):
        return None

    def sites() -> Iterable[Site]:
        return member_sites(world, override.name)

    def reach(site: Site) -> Reach | None:
        return reaches(world, site, override)

    if ours is None:
        return (
            _first("no-function", _is_bare_call, sites, reach)
            if _is_constant(world, override) and kind_of(world, theirs) == "method"
            else None
        )
    if has_opaque_decorator(world, ours):
        return None

    mine, their = kind_of(world, ours) == "property", kind_of(world, theirs) == "property"
    if mine and not their:
        return _first("called", lambda site: site.call is not None, sites, reach)
    if their and not mine:
        return _first("read", lambda site: site.call is None, sites, reach)
    if mine:
        return None
    our_object, their_object = Instance(ClassValue(override.line.cls)), Instance(ClassValue(override.base))
    return colour_mismatch(
        world, FunctionValue(theirs, their_object), FunctionValue(ours, our_object), sites, reach
    )


def colour_mismatch(
    world: World,
    theirs: FunctionValue,
    ours: FunctionValue,
    sites: Callable[[], Iterable[Site]],
    reach: Callable[[Site], Reach | None],
) -> KindMismatch | None:
    """The first place that awaits, or does not await, as the provider's function wants and the other does not."""
    mine, their = ours.definition, theirs.definition
    if mine.is_generator or their.is_generator or mine.is_async == their.is_async:
        return None
    if their.is_async and _gives_plain_value(world, ours):
        return _first("awaited", lambda site: site.awaited, sites, reach)
    if mine.is_async and _gives_plain_value(world, theirs):
        return _first("not-awaited", lambda site: site.call is not None and not site.awaited, sites, reach)
    return None


def _is_constant(world: World, override: Override) -> bool:
    """Whether a class body puts None or another plain constant in a method's place."""
    value = lookup(world, ClassValue(override.owner), override.name).value
    return override.binding.kind == "value" and isinstance(value, Const)


def _is_bare_call(site: Site) -> bool:
    """Whether a call is made whatever the member is: nothing in its function looks at it first."""
    if site.call is None or site.function is None:
        return False
    assert isinstance(site.node, ast.Attribute)
    looked = [n for n in site.function.nodes if isinstance(n, ast.Attribute) and n.attr == site.node.attr]
    return len(looked) == 1 and any(node is site.call for node in straight_calls(site.function.node))


def _first(
    kind: Difference,
    wanted: Callable[[Site], bool],
    sites: Callable[[], Iterable[Site]],
    reach: Callable[[Site], Reach | None],
) -> KindMismatch | None:
    for site in sites():
        if wanted(site):
            how = reach(site)
            if how is not None:
                return KindMismatch(kind, site, how)
    return None


def _gives_plain_value(world: World, function: FunctionValue) -> bool:
    """Whether a function certainly returns something that cannot be awaited."""
    value = return_value(world, function, None)
    return value == NONE or isinstance(value, (Const, Container, DictOf, TupleOf))
