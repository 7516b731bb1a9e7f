"""Two versions' answers side by side: the status of every break, and where its symbol was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftcheck.checks import Answer
from driftcheck.engine.homes import home_of
from driftcheck.model import Evidence, Finding
from driftcheck.model.finding import Status
from driftcheck.rulesdb import CodeInfo

if TYPE_CHECKING:
    from driftcheck.engine.session import Run

_RANK = {"certain": 0, "likely": 1, "possible": 2}


def findings(target: Run, known_good: Run | None, codes: dict[str, CodeInfo]) -> list[Finding]:
    """One finding for each distinct break on the target, and one (``fixed``) for each that is gone there."""
    before = {answer.key: answer for answer in known_good.answers} if known_good else {}
    kept: dict[object, Answer] = {}
    for answer in target.answers:
        other = kept.get(answer.key)
        if other is None or _RANK[answer.confidence] < _RANK[other.confidence]:
            kept[answer.key] = answer
    found: list[Finding] = []
    for answer in kept.values():
        status = _status(answer, target, known_good, before)
        found.append(_finding(answer, status, codes, _homes(answer, known_good)))
    return found


def _status(answer: Answer, target: Run, known_good: Run | None, before: dict) -> Status:
    if known_good is None:
        return "unknown"
    if answer.key in before:
        return "preexisting"
    return "introduced"


def _homes(answer: Answer, known_good: Run | None) -> tuple[Evidence, ...]:
    if known_good is None:
        return ()
    home = home_of(known_good.view, answer.symbol)
    return (home,) if home is not None else ()


def _finding(answer: Answer, status: Status, codes: dict[str, CodeInfo], homes: tuple[Evidence, ...]) -> Finding:
    info = codes[answer.code]
    return Finding(
        code=answer.code,
        name=info.name,
        severity=answer.severity or info.severity,
        confidence=answer.confidence,
        status=status,
        path=answer.path,
        line=answer.span.line,
        column=answer.span.column,
        end_line=answer.span.end_line,
        end_column=answer.span.end_column,
        symbol=answer.symbol,
        message=answer.message,
        evidence=homes + answer.evidence,
        related=answer.related,
    )
