"""DC106: a patch puts something where nothing reads it: the name it replaced is not there any more."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.callsites import Site
from driftcheck.infer.copies import no_longer_reached
from driftcheck.infer.moves import moved_name
from driftcheck.infer.replacements import original_of, replaced
from driftcheck.infer.values import ClassValue, Instance, ModuleValue
from driftcheck.uses import AttributeUse, PatchUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    """A helper that asks for the name first raises where it is not there, whatever an older release had."""
    if isinstance(use, PatchUse) and use.how == "asserted" and not use.caught & {"AttributeError"}:
        if _missing(use, view):
            yield _answer(use, view, raises=True)


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    """An assignment raises nothing: only what known-good had can be said to be replaced."""
    if not isinstance(target, PatchUse) or not isinstance(known_good, PatchUse) or target.how == "asserted":
        return
    if isinstance(target.receiver, Instance) or _is_own(target, view):
        return
    yield from _unreached(target, known_good, view, before)
    if target.tested or not _missing(target, view) or _is_replaced_elsewhere(target, view):
        return
    if original_of(before.world, known_good.receiver, known_good.name).status == "found":
        yield _answer(target, view, raises=False)


def _unreached(target: PatchUse, known_good: PatchUse, view: View, before: View) -> Iterable[Answer]:
    """A replacement that is in place, and every caller has taken the original into its own module."""
    if not isinstance(target.receiver, ModuleValue):
        return
    patch = replaced(view.world, target.receiver, target.name, target.value)
    earlier = replaced(before.world, known_good.receiver, known_good.name, known_good.value)
    if patch is None or earlier is None:
        return
    copies = no_longer_reached(view.world, before.world, patch, earlier)
    left = [site for site in copies if not _is_replaced_there(view, site, target.name)]
    if not left:
        return
    modules = sorted({site.module.name for site in left})
    shown = ", ".join(modules[:3]) + (f" and {len(modules) - 3} more" if len(modules) > 3 else "")
    yield Answer(
        "DC106",
        target.path,
        target.span,
        patch.original.qualname,
        f"replacing {target.receiver.name}.{target.name} reaches no caller in {view.version}: {shown} "
        f"took it by from-import, if that ran before",
        subject=f"{target.name}:copies",
        severity="warning",
        confidence="likely",
        evidence=tuple(view.evidence(site.module, site.line) for site in left[:2]),
    )


def _is_replaced_there(view: View, site: Site, name: str) -> bool:
    """Whether the consumer replaces the copy of that module too."""
    return (site.module.name, name) in view.uses.injected


def _is_replaced_elsewhere(use: PatchUse, view: View) -> bool:
    """Whether the consumer replaces the name where it is defined now too: this one is for other releases."""
    if not isinstance(use.receiver, ModuleValue):
        return False
    moved = moved_name(view.world, use.receiver.name, use.name)
    return moved is not None and (moved.module.name, moved.name) in view.uses.injected


def _is_own(use: PatchUse, view: View) -> bool:
    """Whether the consumer reads what it puts there itself, so that it is a place of its own."""
    for other in view.uses.uses:
        if isinstance(other, AttributeUse) and other.name == use.name and other.receiver == use.receiver:
            return True
    return False


def _missing(use: PatchUse, view: View) -> bool:
    if original_of(view.world, use.receiver, use.name).status != "missing":
        return False
    return not (isinstance(use.receiver, Instance) and not use.receiver.exact)


def _answer(use: PatchUse, view: View, raises: bool) -> Answer:
    match use.receiver:
        case ModuleValue(name=name):
            owner, shown = name, name
            moved = moved_name(view.world, name, use.name)
            module, line = view.world.module(name), 1
        case ClassValue(definition=cls) | Instance(cls=ClassValue(definition=cls)):
            owner, shown, moved = cls.qualname, cls.name, None
            module, line = cls.module, cls.line
        case _:
            raise AssertionError(use.receiver)
    where = f"; {moved.phrase}" if moved else ""
    ends = "" if raises else ": nothing in the provider reads what is put there"
    return Answer(
        "DC106",
        use.path,
        use.span,
        f"{owner}.{use.name}",
        f"{shown} has no {use.name} to replace in {view.version}{where or ends}",
        subject=use.name,
        severity=None if raises else "warning",
        confidence="likely" if use.assumed else "certain",
        evidence=(view.evidence(moved.module, moved.line),)
        if moved
        else ((view.evidence(module, line),) if module else ()),
    )
