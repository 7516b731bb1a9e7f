"""Which of the provider's call sites reach a method that the consumer overrides or replaces."""

from __future__ import annotations

import ast
import re
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.callsites import Site, callee_of, consumer_sites, member_sites, own_receiver
from driftcheck.infer.hierarchy import Mro, class_members, may_stand_before, mro
from driftcheck.infer.made_here import is_made_here
from driftcheck.infer.overrides import Ancestry, Override, definers, live_method
from driftcheck.infer.values import ClassValue, External, FunctionValue, Instance, options
from driftcheck.infer.world import World

Reach = Literal["sure", "assumed"]
MAX_CALLERS = 3
"""How many callers up it is asked whether a method of the base still runs."""
MAX_SITES = 12
"""How many places that name such a caller are looked at; what is left over is an assumption."""


def reaches(world: World, site: Site, override: Override) -> Reach | None:
    """Whether a site calls what an object of the consumer's class has; None where nothing says so."""
    line = override.line
    own = own_receiver(site)
    if own is not None:
        if own.owner not in line.order:
            return None
        assert site.function is not None
        live = is_live(world, line, site.function, MAX_CALLERS)
        if live is None:
            return None
        other = may_stand_before(world, Mro(line.order, line.complete), own.owner)
        return "assumed" if other else live
    if is_super(site.node) or _names_class(world, site):
        return None
    typed = _by_type(world, site, line)
    if typed is not None:
        return None if typed and is_made_here(world, site) else typed or None
    return "assumed" if _is_family_name(world, override) else None


def is_super(node: ast.expr) -> bool:
    """Whether a name is read on ``super()``."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "super"
    )


def _names_class(world: World, site: Site) -> bool:
    """Whether the receiver is a class by its own name, so that no subclass takes part."""
    if not isinstance(site.node, ast.Attribute) or not isinstance(site.node.value, ast.Name):
        return False
    name = site.node.value.id
    return isinstance(world.member(site.module, name), ClassValue) or _is_imported_here(site, name)


def _is_imported_here(site: Site, name: str) -> bool:
    """Whether the function around a site imports a name that is spelled as a class."""
    return (
        site.function is not None
        and name[:1].isupper()
        and any(
            (alias.asname or alias.name) == name
            for node in site.function.nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        )
    )


def _by_type(world: World, site: Site, line: Ancestry) -> Reach | Literal[""] | None:
    """What the receiver's class says: one of ours, another (empty), or nothing (None)."""
    callee = callee_of(world, site)
    others = False
    for option in options(callee):
        if not isinstance(option, FunctionValue):
            if isinstance(option, External):
                others = True
            continue
        match option.receiver:
            case Instance(cls=ClassValue(definition=cls), exact=exact):
                if cls is line.cls or (cls in line.order and not exact):
                    return "sure"
            case ClassValue(definition=cls):
                if cls in line.order:
                    return "sure"
        others = True
    return "" if others else None


def _is_family_name(world: World, override: Override) -> bool:
    """Whether every provider method of the name belongs to one hierarchy, ours."""
    key = ("family", override.name, override.base)
    if key not in world.cache:
        world.cache[key] = _one_family(world, override)
    return world.cache[key]


def _one_family(world: World, override: Override) -> bool:
    roots = [
        c for c in mro(world, override.base).order if isinstance(c, ClassDef) and override.name in c.members
    ]
    for owner in definers(world, override.name):
        if owner is None:
            return False
        line = mro(world, owner)
        if not any(root in line.order for root in roots):
            return False
    return True


def is_live(world: World, line: Ancestry, function: FunctionDef, depth: int) -> Reach | None:
    """Whether a base's method still runs on the consumer's objects: no override hides it for good."""
    name = function.name
    for owner in line.order:
        if isinstance(owner, External):
            continue
        if owner is function.owner:
            return "assumed" if depth <= 0 else _is_called(world, line, function, depth)
        if not class_members(world, owner, name):
            continue
        earlier = live_method(world, owner, name)
        if earlier is None or not passes_on(earlier, name):
            return None
    return None


def passes_on(function: FunctionDef, name: str) -> bool:
    """Whether an override hands on to the method that it overrides; its texts and comments do not count."""
    text = function.item.blank[function.item.start : function.item.end]
    return re.search(rf"(?:super\([^)]*\)|\b[A-Z]\w*)\s*\.\s*{re.escape(name)}\b", text) is not None


def _is_called(world: World, line: Ancestry, function: FunctionDef, depth: int) -> Reach | None:
    """Whether something calls a base's method on the consumer's objects, and whether that is known.

    A public method that nothing calls is there for whoever has the object.
    """
    name = function.name
    if name.startswith("__"):
        return "sure"
    key = ("called", line.cls, line.assumed, function)
    if key in world.cache:
        return world.cache[key]
    world.cache[key] = "assumed"
    ways = _ways(world, line, name, function, depth)
    if not ways or "sure" in ways:
        answer: Reach | None = "sure"
    else:
        answer = "assumed" if "assumed" in ways or not name.startswith("_") else None
    world.cache[key] = answer
    return answer


def _ways(world: World, line: Ancestry, name: str, function: FunctionDef, depth: int) -> set[Reach | None]:
    """What the places say that name something of the consumer's objects, apart from ``function``."""
    own = consumer_sites(world, name)
    sites = [*member_sites(world, name), *(own or ())]
    sites.sort(key=lambda site: own_receiver(site) is None and not is_super(site.node))  # the cheap ones
    ways: set[Reach | None] = {"assumed"} if own is None or len(sites) > MAX_SITES else set()
    for site in sites[:MAX_SITES]:
        ways.add(_calls(world, line, function, site, depth))
        if "sure" in ways:
            break
    return ways


def _calls(world: World, line: Ancestry, function: FunctionDef, site: Site, depth: int) -> Reach | None:
    """Whether one place that names a base's method calls it on the consumer's objects."""
    if own_receiver(site) is None and not is_super(site.node):
        typed = _by_type(world, site, line)
        return "assumed" if typed is None else typed or None
    caller = site.function
    if caller is None or caller.owner not in line.order or caller is function:
        return None
    kept = _kept_as(site)
    if kept and depth > 0 and is_live(world, line, caller, depth - 1) is not None:
        ways = _ways(world, line, kept, caller, depth - 1)
        return "sure" if "sure" in ways else "assumed" if "assumed" in ways or not ways else None
    return is_live(world, line, caller, depth - 1)


def _kept_as(site: Site) -> str:
    """The attribute of the same object that a method is only stored in, to be called by that name; else empty."""
    if site.call is not None or site.function is None or not isinstance(site.node, ast.Attribute):
        return ""
    for node in site.function.nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=base, attr=name)], value=value) if (
                value is site.node
            ):
                return name if ast.dump(base) == ast.dump(site.node.value) else ""
    return ""


def expects_type_error(site: Site) -> bool:
    """Whether the caller tries another form if this call is refused, or has asked for the signature."""
    if site.function is None or site.call is None:
        return False
    try:
        node = site.function.node
    except SourceFault:
        return False
    for inner in nodes_of(node):
        if isinstance(inner, ast.Try) and any(call is site.call for s in inner.body for call in nodes_of(s)):
            for handler in inner.handlers:
                if handler.type is None or "TypeError" in ast.dump(handler.type):
                    return True
    return bool(
        re.search(r"\binspect\.signature\b|\bsignature\(|\bsupports_kw\b|\b__code__\b", site.function.text)
    )
