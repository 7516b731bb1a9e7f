"""DC205: a call passes, or an assignment sets, what the class has but does not let be set."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import problems
from driftcheck.checks.renamed_parameters import renamed_parameters
from driftcheck.infer.settable import Unsettable, not_in_constructor, read_only
from driftcheck.infer.subclasses import may_be_another
from driftcheck.infer.values import ClassValue, Instance, options
from driftcheck.model import Evidence
from driftcheck.uses import CallUse, StoreUse, Use

_WHAT = {
    "property": "a property",
    "class-variable": "a class variable",
    "not-in-init": "a field that the constructor does not take",
    "frozen": "a field of a frozen class",
}


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if isinstance(use, CallUse):
        yield from _passed(use, view)
    elif isinstance(use, StoreUse) and not use.caught & {"AttributeError"}:
        yield from _assigned(use, view)


def _passed(use: CallUse, view: View) -> Iterable[Answer]:
    classes = [option for option in options(use.callee) if isinstance(option, ClassValue)]
    if len(classes) != len(options(use.callee)):
        return
    for signature, problem in problems(use, view):
        if problem.kind != "unknown-keyword" or problem.node is None:
            continue
        keyword = problem.names[0]
        cls = classes[0].definition
        found = not_in_constructor(view.world, cls, keyword)
        module = view.world.consumer.module(view.world.consumer.module_name(use.path))
        if found is None or module is None:
            continue
        ignored = " and is ignored silently" if signature.silent_extra else ""
        renamed = renamed_parameters(use, signature, view).get(keyword)
        opposite = ", which says the opposite" if renamed and renamed.opposite else ""
        instead = f"; in its place is {renamed.new.name}{opposite}" if renamed else ""
        yield Answer(
            "DC205",
            use.path,
            module.source.span(problem.node),
            f"{signature.symbol}.{keyword}",
            f"{keyword} is {_WHAT[found.kind]} of {cls.name} in {view.version}: "
            f"it cannot be passed to {cls.name}(){ignored}{instead}",
            subject=keyword,
            severity="warning" if signature.silent_extra else None,
            evidence=_evidence(view, found),
            replacement=renamed.new.name if renamed and not renamed.opposite else "",
        )


def _assigned(use: StoreUse, view: View) -> Iterable[Answer]:
    receivers = [
        o for o in options(use.receiver) if isinstance(o, Instance) and isinstance(o.cls, ClassValue)
    ]
    if not receivers or len(receivers) != len(options(use.receiver)):
        return
    classes = [r.cls.definition for r in receivers if isinstance(r.cls, ClassValue)]
    found = [read_only(view.world, cls, use.name) for cls in classes]
    first = found[0]
    if first is None or any(one is None for one in found) or not view.world.is_provider(first.owner.module):
        return
    if (first.owner.qualname, use.name) in _replaced(view):
        return
    yield Answer(
        "DC205",
        use.path,
        use.span,
        f"{first.owner.qualname}.{use.name}",
        f"{use.name} is {_WHAT[first.kind]} of {first.owner.name} in {view.version}"
        + (" without a setter" if first.kind == "property" else "")
        + ": assigning it raises",
        subject=use.name,
        confidence="possible"
        if any(may_be_another(view.world, r, use.name) for r in receivers)
        else "certain",
        evidence=_evidence(view, first),
    )


def _replaced(view: View) -> set[tuple[str, str]]:
    """Attributes that the consumer puts on the provider's classes themselves, which undoes a property."""
    return {
        (option.definition.qualname, use.name)
        for use in view.uses.uses
        if isinstance(use, StoreUse)
        for option in options(use.receiver)
        if isinstance(option, ClassValue)
    }


def _evidence(view: View, found: Unsettable) -> tuple[Evidence, ...]:
    module = found.owner.module
    return (view.evidence(module, found.line),) if view.world.is_provider(module) else ()
