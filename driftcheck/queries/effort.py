"""How much work a repair is, and in which order repairs make the verified range grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from driftcheck.model import Finding
from driftcheck.queries.structs import ReleaseResult, Row, State, Step

_FIXED = {
    "safe": (1, "automatic"),
    "unsafe": (2, "automatic, to be reviewed"),
    "display": (4, "by hand, edit shown"),
}
_BY_HAND = (6, "by hand")
_METADATA = (3, "a line of metadata")


def effort_of(finding: Finding) -> tuple[int, str]:
    """A rough effort, and what it means in words: by what the fix is, else by where the edit goes."""
    if finding.fix is not None:
        return _FIXED[finding.fix.applicability]
    return _METADATA if finding.code.startswith("DC5") else _BY_HAND


def limiting(rows: Sequence[Row], number: int) -> list[Row]:
    """The rows that keep one release from being verified."""
    bad: tuple[State, ...] = ("breaks", "risk")
    return [row for row in rows if row.limits and row.states[number] in bad]


def plan(
    rows: Sequence[Row],
    results: Sequence[ReleaseResult],
    start: int,
    specifier: Callable[[int, int], str],
) -> list[Step]:
    """The repairs that each open the next releases, upwards from ``start`` and then downwards.

    ``specifier(low, high)`` words the range between two releases, both included.
    """
    steps: list[Step] = []
    fixed: set[str] = set()
    low = high = start
    while high + 1 < len(results) and _opens(rows, results, high + 1, fixed):
        high += 1
    while low and _opens(rows, results, low - 1, fixed):
        low -= 1
    for move in (1, -1):
        at = high + 1 if move > 0 else low - 1
        while 0 <= at < len(results) and results[at].error is None:
            new = [row for row in limiting(rows, at) if row.id not in fixed]
            new.sort(key=lambda row: (row.effort, row.place))
            fixed.update(row.id for row in new)
            adds: list[str] = []
            while 0 <= at < len(results) and _opens(rows, results, at, fixed):
                adds.append(results[at].version)
                low, high = min(low, at), max(high, at)
                at += move
            steps.append(
                Step(
                    direction="up" if move > 0 else "down",
                    rows=[row.id for row in new],
                    effort=sum(row.effort for row in new),
                    adds=adds,
                    specifier=specifier(low, high),
                )
            )
    return steps


def _opens(rows: Sequence[Row], results: Sequence[ReleaseResult], at: int, fixed: set[str]) -> bool:
    """Whether nothing is in the way of a release once these rows are repaired."""
    return results[at].error is None and all(row.id in fixed for row in limiting(rows, at))
