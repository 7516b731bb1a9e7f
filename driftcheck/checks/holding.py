"""What the checks of overrides and replacements share: how a mismatch is told and where it is seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from driftcheck.checks.answer import View
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callsites import Site
from driftcheck.infer.mismatch import Mismatch
from driftcheck.infer.overrides import Override
from driftcheck.model import Evidence, Span
from driftcheck.uses.holding import name_span


@dataclass(frozen=True)
class Verdict:
    """What all the calls that are refused, or read otherwise, come to."""

    phrase: str
    subject: str
    silent: bool
    sure: bool
    sites: tuple[Site, ...]


def verdict(found: Iterable[Mismatch]) -> Verdict | None:
    """All mismatches as one defect: the surest sites', what raises before what is silent."""
    every = list(found)
    if not every:
        return None
    sure = [m for m in every if m.reach == "sure"]
    kept = sure or every
    raising = [m for m in kept if m.kind != "swapped"]
    kept = raising or kept
    said: dict[str, list[Mismatch]] = {}
    for mismatch in kept:
        said.setdefault(mismatch.kind, []).append(mismatch)
    sites = tuple({id(group[0].site): group[0].site for group in said.values()}.values())
    return Verdict(
        " and ".join(_phrase(group) for group in said.values()),
        ";".join(f"{kind}:{','.join(_names(group))}" for kind, group in sorted(said.items())),
        not raising,
        bool(sure),
        sites,
    )


def _names(group: list[Mismatch]) -> list[str]:
    return list(dict.fromkeys(name for mismatch in group for name in mismatch.names))


def _phrase(group: list[Mismatch]) -> str:
    """What the provider's calls do that the consumer's version does not take."""
    names = ", ".join(_names(group))
    several = "s" if len(_names(group)) > 1 else ""
    match group[0].kind:
        case "unknown-keyword":
            return f"is called with the keyword{several} {names}, which it does not take"
        case "missing-argument":
            return f"is called without {names}, which it requires"
        case "too-many-positional":
            most = max(group, key=lambda m: len(m.site.call.args) if m.site.call else 0)
            given = len(most.site.call.args) if most.site.call else 0
            plural = "" if given == 1 else "s"
            return f"is called with {given} positional argument{plural} and takes {most.count}"
        case "multiple-values":
            return f"is called with {names} both by position and by keyword"
        case "swapped":
            return f"gets another argument as {names}: the order of the parameters differs"


def member_span(override: Override) -> Span:
    """Where a class of the consumer has the name of what it overrides with."""
    source = override.owner.module.source
    if override.function is not None:
        return name_span(source, override.function)
    line = source.line_at(override.binding.item.start)
    column = override.binding.item.start - source.offset(line, 0) + 1
    return Span(line, column, line, column + len(override.name))


def site_evidence(view: View, site: Site) -> Evidence:
    """The provider's line that calls it."""
    return view.evidence(site.module, site.line)


def function_evidence(view: View, function: FunctionDef) -> tuple[Evidence, ...]:
    """The line that defines a function of the provider; nothing for the consumer's."""
    return (view.evidence(function.module, function.line),) if view.world.is_provider(function.module) else ()


def caller_name(site: Site) -> str:
    """How a message names what makes the call."""
    if site.function is None:
        return site.module.name
    owner = f"{site.function.owner.name}." if site.function.owner is not None else ""
    return owner + site.function.name
