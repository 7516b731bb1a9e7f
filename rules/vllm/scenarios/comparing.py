"""How results are compared with an oracle's, as numbers: no tensor library is needed here.

Rows are tokens. Without routers, each result's error as a whole is compared with a bound. With routers
and rounding, a token whose two best experts lie close takes the other one and is off by far more than
rounding, in the reference of the same dtype as well; so the rows as they mostly are must be right, and
those that are not must be no more than such a reference has itself.
"""

from __future__ import annotations

from collections.abc import Sequence

# What a count of rare events may differ by between two computations that round differently.
_TIMES = 3
_BESIDES = 10


class Rows:
    """The errors of a batch's rows, next to those of a reference that rounds as coarsely."""

    def __init__(self, bound: float, median_bound: float) -> None:
        self._bound = bound
        self._median_bound = median_bound
        self._rows = 0
        self._over = 0
        self._over_itself = 0
        self._medians: list[float] = []

    def add(self, errors: Sequence[float], of_reference: Sequence[float]) -> None:
        """The rows of one result at one layer."""
        self._medians.append(median(errors))
        self._rows += len(errors)
        self._over += _over(errors, self._bound)
        self._over_itself += _over(of_reference, self._bound)

    def check(self, step) -> None:  # type: ignore[no-untyped-def]
        """Notes in a step what there is to say."""
        step.figure("rows over the bound", f"{self._over} of {self._rows}")
        step.figure("of transformers in the same dtype", f"{self._over_itself} of {self._rows}")
        step.within(
            "worst median error of a result's rows", max(self._medians, default=0.0), self._median_bound
        )
        allowed = _TIMES * self._over_itself + _BESIDES
        step.expect(
            self._over <= allowed,
            f"{self._over} of {self._rows} rows are over {self._bound:g}; {self._over_itself} of transformers' "
            f"own are in the same dtype, so at most {allowed} are taken for changed routes",
        )


def median(values: Sequence[float]) -> float:
    """The lower median; infinite where a value is no number."""
    if any(value != value for value in values):
        return float("inf")
    return sorted(values)[(len(values) - 1) // 2] if values else 0.0


def _over(values: Sequence[float], bound: float) -> int:
    return sum(not value <= bound for value in values)
