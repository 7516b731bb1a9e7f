"""Deprecations of what is used: what was announced for removal, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from packaging.version import InvalidVersion, Version

from driftcheck.queries.structs import Promise, Row

_REMOVAL = re.compile(r"\bis to be removed in v?(\d[\w.]*\w|\d)")
_INSTEAD = re.compile(r"; use (.+)$")
_HARD = frozenset(
    {"DC101", "DC102", "DC103", "DC104", "DC201", "DC205", "DC206", "DC408", "DC105", "DC106", "DC107"}
)

Outcome = Literal["open", "kept", "early", "late", "overdue", "withdrawn"]


def forecast(rows: Sequence[Row], versions: Sequence[str]) -> list[Promise]:
    """One entry a deprecated use: when it was announced, for when, and whether it was kept."""
    found: list[Promise] = []
    for row in rows:
        if row.code != "DC108":
            continue
        noted = [number for number, state in enumerate(row.states) if state == "note"]
        removal = _REMOVAL.search(row.message)
        instead = _INSTEAD.search(row.message)
        promised = removal.group(1).rstrip(".") if removal else None
        gone = _gone(row, rows, versions, noted[-1])
        found.append(
            Promise(
                row=row.id,
                symbol=row.symbol,
                message=row.message,
                first=versions[noted[0]],
                last=versions[noted[-1]],
                removal=promised,
                instead=instead.group(1) if instead else None,
                outcome=_outcome(promised, gone, versions[-1], noted[-1] == len(versions) - 1),
                removed=gone,
            )
        )
    return found


def _gone(row: Row, rows: Sequence[Row], versions: Sequence[str], last: int) -> str | None:
    """The release after the announcements in which the same use breaks because it is not there."""
    for number in range(last + 1, len(versions)):
        for other in rows:
            here = other.place.holds(row.place) or row.place.holds(other.place)
            same = here or other.symbol == row.symbol
            if other.code in _HARD and same and other.states[number] == "breaks":
                return versions[number]
    return None


def _outcome(promised: str | None, gone: str | None, newest: str, still: bool) -> Outcome:
    due = _version(promised)
    if gone is not None:
        if due is None:
            return "kept"
        # "Removed in 0.12" is kept by any release of 0.12.
        went = Version(gone)
        if went.release[: len(due.release)] == due.release:
            return "kept"
        return "early" if went < due else "late"
    if not still:
        return "withdrawn"
    return "overdue" if due is not None and Version(newest) >= due else "open"


def _version(text: str | None) -> Version | None:
    try:
        return Version(text) if text else None
    except InvalidVersion:
        return None
