"""DC402: an array of more than one element is asked for its truth."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.arrays import is_array
from driftcheck.infer.shapes import describe
from driftcheck.infer.values import NONE, options
from driftcheck.uses import Use
from driftcheck.uses.results import ResultUse


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if (
        not isinstance(use, ResultUse)
        or use.how not in ("truth", "contains")
        or use.caught & {"RuntimeError", "ValueError"}
    ):
        return
    possible = [option for option in options(use.value) if option != NONE]
    if not possible or not all(is_array(option) for option in possible):
        return
    kind = describe(possible[0])
    asked = (
        "each comparison of `in` asks for the truth of"
        if use.how == "contains"
        else "this asks for the truth of"
    )
    yield Answer(
        "DC402",
        use.path,
        use.span,
        use.origin.symbol if use.origin else possible[0].cls.path,  # type: ignore[attr-defined]
        f"{asked} {kind}, which is ambiguous and raises where it has more than one element, as assumed here",
        confidence="likely",
    )
