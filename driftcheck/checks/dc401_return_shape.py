"""DC401: a call gives another kind of thing than it did, and the consumer still uses it as the old one."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.parts import parts_fail, unpacked_into
from driftcheck.checks.results import call_home, call_name, pair, targets
from driftcheck.infer.attributes import lookup
from driftcheck.infer.containers import element_of
from driftcheck.infer.shapes import cannot_iterate, describe, is_element_of, kinds, known, raises
from driftcheck.infer.values import ITEM, NONE, Container, Coroutine, DictOf, TupleOf, Value, options
from driftcheck.model.finding import Confidence, Severity
from driftcheck.uses import Use
from driftcheck.uses.results import ResultUse

_CATCHES = frozenset({"TypeError", "ValueError", "AttributeError"})


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    both = pair(target, known_good, before)
    if both is None or target.caught & _CATCHES:
        return
    new, old = both
    if new.how not in ("subscript", "slice", "iterate", "unpack", "len", "attribute"):
        return
    if not _comparable(new.value, old.value) or _is_coroutine(new.value) or _is_coroutine(old.value):
        return
    if _fails(old, before) or parts_fail(old, before) or not kinds(new.value):
        return
    verdict = _verdict(new, old, view) or _parts_verdict(new, old, view, before)
    if verdict is None:
        return
    severity, confidence, why = verdict
    yield Answer(
        "DC401",
        new.path,
        new.span,
        new.origin.symbol if new.origin else "",
        f"{call_name(new)}() returns {describe(new.value)} in {view.version}, "
        f"{describe(old.value)} in {before.version}{why}",
        subject="result",
        severity=severity,
        confidence=confidence,
        evidence=call_home(new, view),
    )


def _comparable(new: Value, old: Value) -> bool:
    """Whether both kinds are known, or all that is known is that a list became one of its items."""
    return (known(new) and known(old)) or ITEM in (new, old)


def _is_coroutine(value: Value) -> bool:
    return any(isinstance(option, Coroutine) for option in options(value))


def _fails(use: ResultUse, view: View) -> bool:
    """Whether the use raises on whatever the call gives there."""
    possible = [option for option in options(use.value) if option != NONE]
    return bool(possible) and all(_fails_on(use, option, view) is True for option in possible)


def _fails_on(use: ResultUse, value: Value, view: View) -> bool | None:
    if use.how == "attribute":
        if not isinstance(value, (Container, DictOf, TupleOf)):
            return None
        return lookup(view.world, value, _attribute_name(use)).status == "missing"
    return raises(view.world, use.how, value, targets(use.node) if use.how == "unpack" else None)


def _attribute_name(use: ResultUse) -> str:
    return str(getattr(use.node, "attr", ""))


def _verdict(new: ResultUse, old: ResultUse, view: View) -> tuple[Severity, Confidence, str] | None:
    if _fails(new, view):
        return "error", "certain", f": {_doing(new)} raises"
    if new.how == "len":
        return None
    if ITEM in (new.value, old.value):
        return _item_verdict(new, old)
    if is_element_of(new.value, old.value):
        return "error", "certain", f": {_doing(new)} takes its parts apart"
    if is_element_of(old.value, new.value):
        return "error", "certain", f": {_doing(new)} meets the list instead of its element"
    if new.how in ("subscript", "iterate") and _keyed(new.value) != _keyed(old.value):
        given, before = kinds(element_of(view.world, new.value)), kinds(element_of(view.world, old.value))
        if "?" not in given | before and given.isdisjoint(before):
            return (
                "warning",
                "likely",
                f": {_doing(new)} gives something else, assuming that both are as annotated",
            )
    return None


def _parts_verdict(
    new: ResultUse, old: ResultUse, view: View, before: View
) -> tuple[Severity, Confidence, str] | None:
    """Where a loop unpacks the result's parts, and those cannot be unpacked any more."""
    width = unpacked_into(new, view)
    parts = [option for option in options(element_of(view.world, new.value)) if option != NONE]
    earlier = options(element_of(before.world, old.value))
    if width is None or not parts:
        return None
    if not all(raises(before.world, "unpack", option, width) is False for option in earlier):
        return None
    told = f": of {describe(element_of(view.world, new.value))}, and unpacking that into {width} raises"
    answers = [raises(view.world, "unpack", option, width) for option in parts]
    if all(answers):
        return "error", "certain", told
    if all(no or cannot_iterate(view.world, one) for no, one in zip(answers, parts, strict=True)):
        return "error", "likely", f"{told}, assuming that no subclass can be iterated"
    return None


def _item_verdict(new: ResultUse, old: ResultUse) -> tuple[Severity, Confidence, str] | None:
    """Where the items are unknown, that the list became one of them (or the other way) is all there is to say."""
    if is_element_of(new.value, old.value):
        return (
            "error",
            "likely",
            f": {_doing(new)} takes its parts apart, assuming that the items are no lists alike",
        )
    if is_element_of(old.value, new.value):
        return "error", "likely", f": {_doing(new)} meets the list instead of its item"
    return None


def _keyed(value: Value) -> bool:
    return any(isinstance(option, DictOf) for option in options(value))


def _doing(use: ResultUse) -> str:
    return {
        "subscript": "taking an item",
        "slice": "slicing",
        "iterate": "iterating",
        "unpack": f"unpacking into {targets(use.node)}" if targets(use.node) else "unpacking",
        "len": "len()",
        "attribute": f"reading .{_attribute_name(use)}",
    }[use.how]
