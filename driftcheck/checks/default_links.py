"""What of the consumer depends on a changed default, read from the provider's source."""

from __future__ import annotations

from dataclasses import dataclass

from driftcheck.checks.answer import View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.callables import signature_of
from driftcheck.infer.defaults import Default
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.leftout import stays_empty
from driftcheck.infer.passage import runs
from driftcheck.infer.strikes import Strike, strikes_of
from driftcheck.infer.values import ClassValue, options
from driftcheck.model import Related
from driftcheck.uses import CallUse


@dataclass(frozen=True)
class Link:
    """A failure that the new default leads to: where, and which calls of the consumer take part."""

    strike: Strike
    missing: str
    related: tuple[Related, ...]


def link_of(use: CallUse, view: View, default: Default, new: object, old: object) -> Link | None:
    """The failure that a field's new default makes of what the consumer does; None where none is seen."""
    callee = options(use.callee)[0]
    if not isinstance(callee, ClassValue):
        return None
    owner = next(
        (
            c
            for c in mro(view.world, callee.definition).order
            if f"{getattr(c, 'qualname', '')}.{default.name}" == default.symbol
        ),
        None,
    )
    if owner is None:
        return None
    for strike in strikes_of(view.world, callee.definition, default.name, new, old):
        built, missing = (None, "")
        if strike.attribute is not None:
            built, missing = _left_empty(view, strike.attribute)
            if built is None:
                continue
        ran = next(
            (u for u in _calls(view) if u is not use and runs(view.world, u.callee, strike.start)), None
        )
        if ran is not None:
            places = [
                _related(u, text)
                for u, text in ((built, f"built without {missing}"), (ran, "here it strikes"))
                if u
            ]
            return Link(strike, missing, tuple(places))
    return None


def _calls(view: View) -> list[CallUse]:
    return [u for u in view.uses.uses if isinstance(u, CallUse)]


def _related(use: CallUse, text: str) -> Related:
    return Related(use.path, use.span.line, text)


def _left_empty(view: View, attribute: str) -> tuple[CallUse | None, str]:
    """A construction that leaves an attribute of that name empty, and the missing parameter.

    A class of which the consumer builds others that have it filled says nothing.
    """
    if attribute in view.uses.stored_names:
        return None, ""
    found: dict[ClassDef, list[tuple[CallUse, str | None]]] = {}
    for use in _calls(view):
        for option in options(use.callee):
            if isinstance(option, ClassValue):
                missing = stays_empty(
                    view.world, option.definition, attribute, given_names(view, use, option)
                )
                found.setdefault(option.definition, []).append((use, missing))
    for built in found.values():
        use, missing = built[0]
        if missing is not None and all(other is not None for _, other in built):
            return use, missing
    return None, ""


def given_names(view: View, use: CallUse, callee: ClassValue) -> set[str] | None:
    """The parameters that a call passes; None where ``*`` or ``**`` hide some."""
    if use.arguments.open_keywords or use.arguments.open_positional:
        return None
    signature = signature_of(view.world, callee)
    positional = [p.name for p in signature.positional()] if signature is not None else []
    return set(use.arguments.keywords) | set(positional[: len(use.arguments.positional)])
