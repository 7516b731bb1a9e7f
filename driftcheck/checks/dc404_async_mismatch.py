"""DC404: a call became a coroutine and is not awaited, or is one no longer and is awaited; likewise iterators."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.results import call_home, call_name
from driftcheck.infer.colours import Colour, colour_of
from driftcheck.infer.values import Coroutine, options
from driftcheck.model.finding import Confidence, Severity
from driftcheck.uses import Use
from driftcheck.uses.results import ResultUse

_RAISES_ON_COROUTINE = frozenset(
    {"attribute", "subscript", "slice", "iterate", "unpack", "len", "async-iterate"}
)


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if (
        not isinstance(target, ResultUse)
        or not isinstance(known_good, ResultUse)
        or target.caught & {"TypeError"}
    ):
        return
    if target.origin is None or known_good.origin is None:
        return
    new, old = colour_of(view.world, target.origin.callee), colour_of(before.world, known_good.origin.callee)
    if new is None or old is None or new == old:
        return
    if new == "coroutine" and not any(isinstance(option, Coroutine) for option in options(target.value)):
        # What came of awaiting it is used here.
        return
    verdict = _verdict(target.how, new, old)
    if verdict is None:
        return
    severity, confidence, why = verdict
    yield Answer(
        "DC404",
        target.path,
        target.span,
        target.origin.symbol,
        f"{call_name(target)}() {_gives(new)} in {view.version}, {_gives(old)} in {before.version}: {why}",
        severity=severity,
        confidence=confidence,
        evidence=call_home(target, view),
    )


def _gives(colour: Colour) -> str:
    return {
        "plain": "is no coroutine",
        "coroutine": "is a coroutine",
        "async iterator": "gives an async iterator",
        "iterator": "gives an iterator",
    }[colour]


def _verdict(how: str, new: Colour, old: Colour) -> tuple[Severity, Confidence, str] | None:
    if how == "await" and old == "coroutine":
        return "error", "certain", "awaiting its result raises TypeError"
    if new == "coroutine" and how in _RAISES_ON_COROUTINE:
        return "error", "certain", "it is used without being awaited"
    if new == "coroutine" and how == "dropped":
        return "warning", "certain", "it is never awaited, so it never runs"
    if new == "coroutine" and how == "truth":
        return "warning", "certain", "an unawaited coroutine is always true"
    if how == "iterate" and new == "async iterator":
        return "error", "certain", "a plain loop over it raises TypeError"
    if how == "async-iterate" and old == "async iterator":
        return "error", "certain", "an async loop over it raises TypeError"
    return None
