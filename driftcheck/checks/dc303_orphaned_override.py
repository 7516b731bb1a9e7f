"""DC303: a class overrides something that its base had on known-good and has or uses no more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.holding import member_span
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.abstract import is_abstract
from driftcheck.infer.callsites import Site, member_sites, own_receiver
from driftcheck.infer.overrides import (
    Ancestry,
    Override,
    ancestry,
    definers,
    live_method,
    overrides,
    provider_member,
)
from driftcheck.infer.reaching import reaches
from driftcheck.infer.world import World
from driftcheck.model import Evidence
from driftcheck.model.finding import Confidence, Severity
from driftcheck.uses import ClassUse, Use


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if (
        not isinstance(target, ClassUse)
        or not isinstance(known_good, ClassUse)
        or target.assumed
        or known_good.assumed
    ):
        return
    line = ancestry(view.world, target.cls)
    if not line.complete and not line.provider_classes(view.world):
        return
    earlier = ancestry(before.world, known_good.cls)
    own = {override.name: override for override in overrides(before.world, earlier)}
    for name, override in own.items():
        if name.startswith("__") or _is_adapted(view.world, line, before.world, earlier):
            continue
        gone = _gone(override, line, view)
        if gone is not None and _was_used(before.world, override) and not _used_by_consumer(view.world, name):
            yield _answer(override, line, view, before, *gone)


def _gone(override: Override, line: Ancestry, view: View) -> tuple[str, Confidence] | None:
    """How the target lost the hook, in words, and how sure that is; None where it still has it."""
    world, name = view.world, override.name
    base = provider_member(world, line, name)
    if base is None and (not line.complete or any(c.assigns(name) for c in line.provider_classes(world))):
        return None
    if _named_by_string(world, name) or (base is not None and _is_demanded(world, base, name)):
        return None
    reads = [site for site in member_sites(world, name) if not _is_super_of(site, name)]
    what = f"has no {name}" if base is None else f"does not use {name} any more"
    if not reads and (base is not None or not definers(world, name)):
        return what, "certain"
    if base is not None:
        return None
    here = Override(
        line, name, override.owner, override.binding, override.function, override.base, override.base_function
    )
    others = all(_is_elsewhere(world, site, here) for site in reads)
    return (what, "likely") if others else None


def _is_demanded(world: World, base: ClassDef, name: str) -> bool:
    """Whether the base declares the method as abstract: it has to be there, whoever calls it."""
    function = live_method(world, base, name)
    return function is not None and is_abstract(function)


def _is_elsewhere(world: World, site: Site, override: Override) -> bool:
    """Whether a read is on the own object of another class."""
    own = own_receiver(site)
    return own is not None and reaches(world, site, override) is None


def _is_super_of(site: Site, name: str) -> bool:
    """Whether a read is an override of the provider's handing on to its own base."""
    node = site.node
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and getattr(node.value.func, "id", "") == "super"
    )


def _was_used(world: World, override: Override) -> bool:
    """Whether known-good read the hook on the family's objects."""
    if _named_by_string(world, override.name):
        return True
    return any(site for site in member_sites(world, override.name) if not _is_super_of(site, override.name))


def _named_by_string(world: World, name: str) -> bool:
    pattern = re.compile(rf"[\"']{re.escape(name)}[\"']".encode())
    index = world.provider
    return any(pattern.search(index.peek(path)) for path in index.files_mentioning(name))


def _used_by_consumer(world: World, name: str) -> bool:
    """Whether the consumer reads the member itself, so that it is not dead."""
    pattern = re.compile(rf"\.\s*{re.escape(name)}\b|[\"']{re.escape(name)}[\"']".encode())
    index = world.consumer
    return any(pattern.search(index.peek(path)) for path in index.files_mentioning(name))


def _is_adapted(world: World, line: Ancestry, earlier: World, before: Ancestry) -> bool:
    """Whether the class also overrides something that only the target has: then it is written for both."""
    for override in overrides(world, line):
        if override.name.startswith("__"):
            continue
        if provider_member(earlier, before, override.name) is None and not any(
            c.assigns(override.name) for c in before.provider_classes(earlier)
        ):
            return True
    return False


def _answer(
    override: Override, line: Ancestry, view: View, before: View, what: str, confidence: Confidence
) -> Answer:
    owner = override.owner
    nearest = line.provider_classes(view.world)
    base = nearest[0] if nearest else override.base
    evidence: list[Evidence] = []
    if nearest:
        evidence.append(view.evidence(base.module, base.line))
    return Answer(
        "DC303",
        owner.module.path,
        member_span(override),
        f"{override.base.qualname}.{override.name}",
        f"{owner.name}.{override.name} overrides nothing in {view.version}: {base.name} {what}, "
        "so it never takes effect",
        subject=override.name,
        severity=_severity(override),
        confidence=confidence,
        evidence=tuple(evidence),
    )


def _severity(override: Override) -> Severity | None:
    """A note where the override only states a preference: nothing is lost but the choice."""
    function = override.function
    return "note" if function is None or _is_trivial(function) else None


def _is_trivial(function: FunctionDef) -> bool:
    """Whether a body does nothing but pass, raise or return a constant."""
    try:
        body = function.node.body
    except SourceFault:
        return False
    for statement in body:
        match statement:
            case (
                ast.Pass()
                | ast.Expr(value=ast.Constant())
                | ast.Raise()
                | ast.Return(value=None | ast.Constant())
            ):
                continue
        return False
    return True
