"""DC403: a call gives None now where it never did, and the consumer uses the result untested."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.results import call_home, call_name, pair
from driftcheck.infer.shapes import is_element_of, known, raises
from driftcheck.infer.values import NONE, Coroutine, options
from driftcheck.uses import Use


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    both = pair(target, known_good, before)
    if both is None or target.caught & {"TypeError", "AttributeError"}:
        return
    new, old = both
    if NONE not in options(new.value) or NONE in options(old.value) or not known(old.value):
        return
    if any(isinstance(option, Coroutine) for option in options(old.value)):
        return  # it is awaited no more: DC404 tells it
    if not raises(view.world, new.how, NONE) or is_element_of(new.value, old.value):
        return
    always = new.value == NONE
    yield Answer(
        "DC403",
        new.path,
        new.span,
        new.origin.symbol if new.origin else "",
        f"{call_name(new)}() {'returns' if always else 'may return'} None in {view.version} and is used untested"
        + ("" if always else ", assuming that this call can meet that case"),
        subject="none",
        confidence="certain" if always else "likely",
        evidence=call_home(new, view),
    )
