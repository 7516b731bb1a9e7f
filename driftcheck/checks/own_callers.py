"""Where the consumer has put a caller of its own in the provider's place, and that calls what it overrides."""

from __future__ import annotations

from dataclasses import replace

from driftcheck.checks.answer import Answer, View
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callsites import Site, arguments_of, consumer_sites
from driftcheck.infer.classpaths import provider_class
from driftcheck.infer.overrides import ancestry, as_called, overrides
from driftcheck.infer.reaching import is_super
from driftcheck.infer.signatures import Arguments, Signature, bind
from driftcheck.infer.values import FunctionValue
from driftcheck.uses import ClassUse, PatchUse


def unless_own(answer: Answer, view: View, base: FunctionDef, ours: Signature, theirs: Signature) -> Answer:
    """The answer, no more than possible where such a caller calls in a way that only the consumer's version takes.

    Who takes over both sides of a call may leave nobody else who makes it. A call that the original took on
    known-good says nothing: it is as old as the original was.
    """
    caller = _own_caller(view, base, ours, theirs)
    if caller is None:
        return answer
    told = (
        f"{answer.message}; {caller.name} of the consumer's own calls it otherwise, and may be all that does"
    )
    return replace(answer, confidence="possible", message=told)


def _own_caller(view: View, base: FunctionDef, ours: Signature, theirs: Signature) -> FunctionDef | None:
    for site in consumer_sites(view.world, base.name) or ():
        if site.call is None or site.function is None or is_super(site.node):
            continue
        given = arguments_of(site.call)
        if bind(ours, given) or not bind(theirs, given) or not _stands_for_provider(view, site):
            continue
        if view.before is None or not _took(view.before, base, given):
            return site.function
    return None


def _took(before: View, base: FunctionDef, given: Arguments) -> bool:
    """Whether the original takes a call on known-good, or is not known there."""
    cls = provider_class(before.world, base.owner.qualname) if base.owner is not None else None
    function = cls.method(base.name) if cls is not None else None
    signature = as_called(before.world, function, cls) if function is not None and cls is not None else None
    return signature is None or not bind(signature, given)


def _stands_for_provider(view: View, site: Site) -> bool:
    cache = view.world.cache
    if "stand-for-provider" not in cache:
        cache["stand-for-provider"] = _standing(view)
    return site.function in cache["stand-for-provider"]


def _standing(view: View) -> set[FunctionDef]:
    """The consumer's functions that replace or override one of the provider's."""
    found: set[FunctionDef] = set()
    for use in view.uses.uses:
        if isinstance(use, PatchUse) and isinstance(use.value, FunctionValue):
            found.add(use.value.definition)
        elif isinstance(use, ClassUse):
            line = ancestry(view.world, use.cls, use.assumed)
            found |= {o.function for o in overrides(view.world, line) if o.function is not None}
    return found
