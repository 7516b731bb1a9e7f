"""Callers in the provider that the consumer has put out of use: what they call is called by nobody."""

from __future__ import annotations

from dataclasses import dataclass

from driftcheck.checks.answer import View
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callers import callers_of
from driftcheck.infer.callsites import Site, own_receiver
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.overrides import Ancestry, ancestry, overrides
from driftcheck.infer.reaching import passes_on
from driftcheck.infer.replacements import original_of
from driftcheck.infer.values import ClassValue, Value
from driftcheck.uses import AttributeUse, ClassUse, PatchUse

MAX_CALLERS = 4
"""How many callers up it is asked whether one still runs."""


@dataclass(frozen=True)
class Dead:
    """Functions of the provider that never run again (``replaced``), names replaced on a class (``patched``),
    and functions that the consumer's subclasses have their own of (``overridden``)."""

    replaced: frozenset[FunctionDef]
    patched: frozenset[tuple[ClassDef, str]]
    overridden: frozenset[FunctionDef]

    def covers(self, view: View, site: Site, line: Ancestry | None) -> bool:
        """Whether a site stands in such a function; ``line``: the class whose objects are asked about."""
        function = site.function
        if function is None:
            return False
        if function in self.replaced:
            return True
        own = own_receiver(site)
        if own is None:
            return function in self.overridden or self._is_unreached(view, function, MAX_CALLERS)
        order = line.order if line is not None else mro(view.world, own.owner).order
        return any(isinstance(cls, ClassDef) and (cls, function.name) in self.patched for cls in order)

    def _is_unreached(self, view: View, function: FunctionDef, depth: int) -> bool:
        """Whether whatever calls a function is out of use: all such places are known, and there are some."""
        cache, key = view.world.cache, ("unreached", function, depth)
        if key not in cache:
            cache[key] = False
            callers = callers_of(view.world, function) if depth > 0 else set()
            cache[key] = bool(callers) and all(
                caller in self.replaced
                or caller in self.overridden
                or self._is_unreached(view, caller, depth - 1)
                for caller in callers
            )
        return bool(cache[key])


def dead(view: View) -> Dead:
    """What the consumer puts out of use on the view's version; worked out once."""
    cache = view.world.cache
    if "dead-callers" not in cache:
        cache["dead-callers"] = _dead(view)
    return cache["dead-callers"]


def _dead(view: View) -> Dead:
    kept = {
        (use.receiver, use.name) for use in view.uses.uses if isinstance(use, AttributeUse)
    }  # an original that is read may be called by what replaces it
    replaced: set[FunctionDef] = set()
    patched: set[tuple[ClassDef, str]] = set()
    overridden: set[FunctionDef] = set()
    for use in view.uses.uses:
        if isinstance(use, PatchUse) and (use.receiver, use.name) not in kept and not use.assumed:
            _patch(view, use.receiver, use.name, replaced, patched)
        elif isinstance(use, ClassUse):
            for override in overrides(view.world, ancestry(view.world, use.cls, use.assumed)):
                if override.function is not None and not passes_on(override.function, override.name):
                    _hide(view, override.base, override.name, overridden)
    return Dead(frozenset(replaced), frozenset(patched), frozenset(overridden))


def _hide(view: View, base: ClassDef, name: str, overridden: set[FunctionDef]) -> None:
    for cls in mro(view.world, base).order:
        function = cls.method(name) if isinstance(cls, ClassDef) else None
        if function is not None:
            overridden.add(function)


def _patch(
    view: View, receiver: Value, name: str, replaced: set[FunctionDef], patched: set[tuple[ClassDef, str]]
) -> None:
    found = original_of(view.world, receiver, name)
    if isinstance(receiver, ClassValue):
        patched.add((receiver.definition, name))
        if found.owner is receiver.definition and isinstance(found.definition, FunctionDef):
            replaced.add(found.definition)
    else:
        definition = getattr(found.value, "definition", None)
        if isinstance(definition, FunctionDef):
            replaced.add(definition)
