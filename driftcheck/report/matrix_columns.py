"""Neighbouring releases on which every row is in the same state, as one column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from driftcheck.queries.structs import AuditReport, Row


@dataclass
class Group:
    """Releases from ``first`` (its place in the report), ``size`` of them."""

    first: int
    size: int
    version: str
    last: str
    known_good: bool = False


def groups(report: AuditReport, rows: Sequence[Row]) -> list[Group]:
    """The columns of a matrix of these rows; known-good always begins its own."""
    good = report.known_good.version if report.known_good else None
    found: list[Group] = []
    before: tuple[object, ...] | None = None
    for number, column in enumerate(report.releases):
        is_good = column.version == good
        states = (column.verified, column.error, *(row.states[number] for row in rows))
        if found and states == before and not is_good:
            found[-1].size += 1
            found[-1].last = column.version
        else:
            found.append(Group(number, 1, column.version, column.version, is_good))
        before = states
    return found


def packaging_notes(report: AuditReport) -> list[str]:
    """What is said of the metadata, once for all neighbouring releases that it is said of alike."""
    found: list[tuple[str, str, str]] = []
    for column in report.releases:
        for said in (column.declared_range, column.conflict):
            if not said:
                continue
            text = said.replace(f"{report.provider} {column.version} ", f"{report.provider} ")
            if found and found[-1][2] == text:
                found[-1] = (found[-1][0], column.version, text)
            else:
                found.append((column.version, column.version, text))
    return [f"{first if first == last else f'{first} – {last}'}: {text}" for first, last, text in found]
