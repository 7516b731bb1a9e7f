"""DC502: the consumer and the target require the same distribution in versions that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.specifiers import exclude_each_other
from driftcheck.sources.names import normalized
from driftcheck.uses import RequirementUse, Use
from driftcheck.uses.metadata import extras_of, parsed

# What both are asked for: the usual place where such code runs, the same on every machine.
_PLACE = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "platform_machine": "x86_64",
}


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, RequirementUse) or not counts(
        use.requirement, frozenset(extras_of(use.requirement))
    ):
        return
    ours = use.requirement
    provider = view.world.provider.tree
    for theirs in parsed(provider.requires):
        if normalized(theirs.name) != normalized(ours.name) or not counts(theirs, use.extras):
            continue
        if exclude_each_other(ours.specifier, theirs.specifier):
            yield Answer(
                "DC502",
                use.path,
                use.span,
                normalized(ours.name),
                f"the consumer requires {_shown(ours.name, ours.specifier)}, and "
                f"{provider.name} {view.version} requires {_shown(theirs.name, theirs.specifier)}",
                subject=normalized(ours.name),
            )


def _shown(name: str, specifier: SpecifierSet) -> str:
    return f"{name}{','.join(sorted(str(one) for one in specifier))}"


def counts(requirement: Requirement, extras: frozenset[str]) -> bool:
    """Whether a requirement is in force on Linux, with these extras asked for."""
    if requirement.marker is None:
        return True
    return any(requirement.marker.evaluate({**_PLACE, "extra": extra}) for extra in ("", *sorted(extras)))
