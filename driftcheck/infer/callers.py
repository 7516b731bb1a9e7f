"""Which functions of the provider call one of its functions, where that can be told for certain."""

from __future__ import annotations

import ast
import re

from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callables import signature_of
from driftcheck.infer.callsites import (
    Site,
    arguments_of,
    callee_of,
    consumer_sites,
    function_sites,
    own_receiver,
)
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.overrides import as_called
from driftcheck.infer.signatures import bind
from driftcheck.infer.values import FunctionValue, options
from driftcheck.infer.world import World

MAX_SITES = 12
"""A name that is called in more places than this belongs to more than one function."""
_REGISTERED = 300
"""How far before a function, in bytes, its name stands where it is registered under it."""


def callers_of(world: World, function: FunctionDef) -> set[FunctionDef]:
    """The provider's functions that call something of that name, apart from itself.

    Empty where others may call it too: the consumer does, module code does, or it is handed on as a value
    (unless with its own name, under which it is then called).
    """
    name = function.name
    if name.startswith("__") or consumer_sites(world, name, called=True) != []:
        return set()
    sites = function_sites(world, name)
    if len(sites) > MAX_SITES or any(s.function is None for s in sites) or _is_handed_on(world, name):
        return set()
    callers = {
        site.function for site in sites if site.function is not None and _may_call(world, site, function)
    }
    return callers - {function}


def _may_call(world: World, site: Site, function: FunctionDef) -> bool:
    """Whether nothing says that a place calls another function of that name."""
    owner, own = function.owner, own_receiver(site)
    if own is not None:
        return owner is not None and (
            owner in mro(world, own.owner).order or own.owner in mro(world, owner).order
        )
    if site.call is not None and not _takes(world, function, site.call):
        return False
    known = [one for one in options(callee_of(world, site)) if isinstance(one, FunctionValue)]
    return not known or any(_is_kin(world, one.definition, function) for one in known)


def _takes(world: World, function: FunctionDef, call: ast.Call) -> bool:
    owner = function.owner
    known = (
        signature_of(world, FunctionValue(function)) if owner is None else as_called(world, function, owner)
    )
    return known is None or not bind(known, arguments_of(call))


def _is_kin(world: World, one: FunctionDef, other: FunctionDef) -> bool:
    """Whether two functions are the same or one's class stands above the other's."""
    if one is other:
        return True
    first, second = one.owner, other.owner
    return (
        first is not None
        and second is not None
        and (first in mro(world, second).order or second in mro(world, first).order)
    )


def _is_handed_on(world: World, name: str) -> bool:
    word = re.escape(name.encode())
    value = re.compile(rb"[=(\[,:]\s*(?:[\w.]+\.)?" + word + rb"\s*[,)\]}\n]")
    spelt = re.compile(rb"[\"']" + word + rb"[\"']")
    index = world.provider
    for path in index.files_mentioning(name):
        data = index.peek(path)
        for found in value.finditer(data):
            if not spelt.search(data, max(0, found.start() - _REGISTERED), found.start()):
                return True
    return False
