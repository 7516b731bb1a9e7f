"""DC304: what the consumer puts in a function's place does not take the provider's calls of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.dead import dead
from driftcheck.checks.holding import Verdict, caller_name, function_evidence, site_evidence, verdict
from driftcheck.checks.own_callers import unless_own
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callables import has_opaque_decorator
from driftcheck.infer.callsites import Site
from driftcheck.infer.kinds import colour_mismatch
from driftcheck.infer.mismatch import mismatches
from driftcheck.infer.overrides import ancestry
from driftcheck.infer.reaching import Reach
from driftcheck.infer.replacements import (
    Replaced,
    candidate_sites,
    members_replaced,
    original_signature,
    reaches_patch,
    replaced,
    replacement_signature,
)
from driftcheck.infer.values import ClassValue, FunctionValue, Instance
from driftcheck.model import Evidence, Related, Span
from driftcheck.uses import PatchUse, Use
from driftcheck.uses.holding import name_span


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, PatchUse):
        return
    patch = replaced(view.world, use.receiver, use.name, use.value)
    if patch is None:
        return
    yield from _calls(use, view, patch)
    yield from _colour(use, view, patch)
    if isinstance(patch.original, ClassDef) and isinstance(patch.replacement, ClassValue):
        for member in members_replaced(view.world, patch):
            yield from _calls(use, view, member)
            yield from _colour(use, view, member)


def _calls(use: PatchUse, view: View, patch: Replaced) -> Iterable[Answer]:
    theirs = original_signature(view.world, patch)
    ours = replacement_signature(view.world, patch)
    if theirs is None or ours is None:
        return

    found = verdict(
        mismatches(lambda: candidate_sites(view.world, patch), theirs, ours, _reach(use, view, patch))
    )
    if found is not None:
        answer = _answer(use, view, patch, found)
        if isinstance(patch.original, FunctionDef) and patch.original.owner is not None:
            answer = unless_own(answer, view, patch.original, ours, theirs)
        yield answer


def _reach(use: PatchUse, view: View, patch: Replaced) -> Callable[[Site], Reach | None]:
    """How a place of the provider reaches what the patch puts there, callers out of use left out."""
    line = None
    if isinstance(use.receiver, ClassValue):
        line = ancestry(view.world, use.receiver.definition)
    return lambda site: (
        None if dead(view).covers(view, site, line) else reaches_patch(view.world, patch, site)
    )


_SAYS = {
    "awaited": "is no coroutine function, and its result is awaited",
    "not-awaited": "is a coroutine function, and its result is used without await",
}


def _colour(use: PatchUse, view: View, patch: Replaced) -> Iterable[Answer]:
    """A plain function where the provider awaits, or a coroutine function where it does not."""
    world, value, original = view.world, patch.replacement, patch.original
    if not isinstance(value, FunctionValue) or isinstance(original, ClassDef):
        return
    if has_opaque_decorator(world, value.definition) or has_opaque_decorator(world, original):
        return
    receiver = Instance(ClassValue(patch.owner)) if patch.owner is not None else None
    found = colour_mismatch(
        world,
        FunctionValue(original, receiver),
        value,
        lambda: candidate_sites(world, patch),
        _reach(use, view, patch),
    )
    if found is None:
        return
    silent = found.kind == "not-awaited"
    told = Verdict(_SAYS[found.kind], found.kind, silent, found.reach == "sure", (found.site,))
    yield _answer(use, view, patch, told, ", if nothing awaits it later" if silent else "")


def _answer(use: PatchUse, view: View, patch: Replaced, found: Verdict, doubt: str = "") -> Answer:
    path, span, related = _place(use, view, patch)
    original = patch.original
    name = original.name if patch.holder is None else f"{patch.holder.name}.{patch.name}"
    message = f"what replaces {name} {found.phrase} ({caller_name(found.sites[0])} in {view.version})"
    if not found.sure:
        message += f", if that is called on a {patch.holder.name if patch.holder else name}"
    elif use.assumed:
        message += f", if it is {original.qualname}"
    else:
        message += doubt
    evidence: list[Evidence] = [site_evidence(view, site) for site in found.sites[:2]]
    if isinstance(original, ClassDef):
        evidence.append(view.evidence(original.module, original.line))
    else:
        evidence += function_evidence(view, original)
    return Answer(
        "DC304",
        path,
        span,
        original.qualname,
        message,
        subject=found.subject,
        severity="warning" if found.silent else None,
        confidence="certain" if found.sure and not use.assumed and not doubt else "likely",
        evidence=tuple(evidence),
        related=related,
    )


def _place(use: PatchUse, view: View, patch: Replaced) -> tuple[str, Span, tuple[Related, ...]]:
    """Where the replacement is written: its ``def``, with the patch beside it; else the patch."""
    value = patch.replacement
    if isinstance(value, FunctionValue) and not view.world.is_provider(value.definition.module):
        function = value.definition
        beside = Related(use.path, use.span.line, f"it is put in place here as {use.name}")
        return function.module.path, name_span(function.module.source, function), (beside,)
    return use.path, use.span, ()
