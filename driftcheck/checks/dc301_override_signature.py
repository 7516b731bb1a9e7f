"""DC301: the provider calls a method in a way that the consumer's override of it does not take."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.dead import dead
from driftcheck.checks.holding import caller_name, function_evidence, member_span, site_evidence, verdict
from driftcheck.checks.own_callers import unless_own
from driftcheck.infer.callsites import Site, member_sites
from driftcheck.infer.kinds import kind_mismatch
from driftcheck.infer.mismatch import mismatches
from driftcheck.infer.overrides import Override, ancestry, as_called, overrides
from driftcheck.infer.reaching import Reach, reaches
from driftcheck.uses import ClassUse, Use
from driftcheck.uses.holding import name_span


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, ClassUse):
        return
    for override in overrides(view.world, ancestry(view.world, use.cls, use.assumed)):
        if override.name.startswith("__"):
            continue
        yield from _signature(override, view)
        yield from _kind(override, view)


def _signature(override: Override, view: View) -> Iterable[Answer]:
    world = view.world
    function, base = override.function, override.base_function
    if function is None or base is None:
        return
    ours = as_called(world, function, override.line.cls)
    theirs = as_called(world, base, override.line.cls)
    if ours is None or theirs is None:
        return

    def reach(site: Site) -> Reach | None:
        return None if dead(view).covers(view, site, override.line) else reaches(world, site, override)

    found = verdict(mismatches(lambda: member_sites(world, override.name), theirs, ours, reach))
    if found is None:
        return
    assumed = override.line.assumed
    where = f"({caller_name(found.sites[0])} in {view.version})"
    message = f"{override.owner.name}.{override.name} {found.phrase} {where}"
    if not found.sure:
        message += f", if that is called on a {override.base.name}"
    elif assumed is not None:
        message += f", if its base is {assumed.qualname}"
    answer = Answer(
        "DC301",
        function.module.path,
        name_span(function.module.source, function),
        base.qualname,
        message,
        subject=found.subject,
        severity="warning" if found.silent else None,
        confidence="certain" if found.sure and assumed is None else "likely",
        evidence=(*(site_evidence(view, site) for site in found.sites[:2]), *function_evidence(view, base)),
    )
    yield unless_own(answer, view, base, ours, theirs)


_SAYS = {
    "called": "is a property, and is called",
    "no-function": "is no function, and is called",
    "read": "is a method, and is read as a property",
    "awaited": "is no coroutine function, and its result is awaited",
    "not-awaited": "is a coroutine function, and its result is used without await",
}


def _kind(override: Override, view: View) -> Iterable[Answer]:
    found = kind_mismatch(view.world, override)
    base = override.base_function
    if found is None or base is None:
        return
    where = f"({caller_name(found.site)} in {view.version})"
    message = f"{override.owner.name}.{override.name} {_SAYS[found.kind]} {where}"
    if found.reach == "assumed":
        message += f", if that is asked of a {override.base.name}"
    elif found.kind == "not-awaited":
        message += ", if nothing awaits it later"
    silent = found.kind in ("read", "not-awaited")
    yield Answer(
        "DC301",
        override.owner.module.path,
        member_span(override),
        base.qualname,
        message,
        subject=found.kind,
        severity="warning" if silent else None,
        confidence="certain"
        if found.reach == "sure"
        and found.kind in ("awaited", "no-function")
        and override.line.assumed is None
        else "likely",
        evidence=(site_evidence(view, found.site), *function_evidence(view, base)),
    )
