"""Two versions' answers side by side: the status of every break, and where its symbol was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from driftcheck.checks import Answer
from driftcheck.checks.undecided import is_undecided
from driftcheck.engine.homes import home_of
from driftcheck.engine.precedence import at_old_home, defect, most_specific, one_cause
from driftcheck.model import Evidence, Finding, Fix
from driftcheck.model.finding import Status
from driftcheck.rulesdb import CodeInfo
from driftcheck.uses import Use

if TYPE_CHECKING:
    from driftcheck.engine.session import Run
    from driftcheck.fixes import Style

_RANK = {"certain": 0, "likely": 1, "possible": 2}


def findings(
    target: Run, known_good: Run | None, codes: dict[str, CodeInfo], style: Style | None = None
) -> list[Finding]:
    """One finding for each distinct break on the target, and one (``fixed``) for each that is gone there."""
    broken = {defect(answer) for _, answer in known_good.answers} if known_good else set()
    breaks = _surest(target.answers)
    found = [] if known_good is None else _fixed(target, known_good, codes)
    for (use, one), fix in zip(breaks, _fixes(breaks, target, style), strict=True):
        answer = at_old_home(target.view.world, one)
        status = _status(use, answer, known_good, broken)
        finding = _finding(answer, status, codes, _homes(answer, known_good))
        finding.fix = fix
        found.append((answer.cause, finding))
    return one_cause(found)


def _fixes(breaks: list[tuple[Use, Answer]], target: Run, style: Style | None) -> Sequence[Fix | None]:
    """What repairs each break; the codemods are loaded only where something breaks."""
    if not breaks:
        return []
    from driftcheck.fixes import plan_fixes

    return plan_fixes(breaks, target.view, style)


def _surest(answers: Iterable[tuple[Use, Answer]]) -> list[tuple[Use, Answer]]:
    """Of the answers about one defect the surest, each with its use."""
    kept: dict[object, tuple[Use, Answer]] = {}
    for use, answer in most_specific(answers):
        other = kept.get(answer.key)
        if other is None or _RANK[answer.confidence] < _RANK[other[1].confidence]:
            kept[answer.key] = (use, answer)
    return list(kept.values())


def _fixed(target: Run, known_good: Run, codes: dict[str, CodeInfo]) -> list[tuple[str, Finding]]:
    """What breaks on known-good alone: the target has the same use, knows what it needs, and it holds."""
    broken = {defect(answer) for _, answer in target.answers}
    found: list[tuple[str, Finding]] = []
    for use, answer in _surest(known_good.answers):
        later = target.view.uses.by_key.get(use.key, ())
        holds = any(not is_undecided(one, target.view) for one in later)
        if holds and defect(answer) not in broken:
            found.append((answer.cause, _finding(answer, "fixed", codes, _homes(answer, target))))
    return found


def _status(use: Use, answer: Answer, known_good: Run | None, broken: set[object]) -> Status:
    """``introduced`` where the use held on known-good, or its guard lets it run only on the target."""
    if known_good is None:
        return "unknown"
    if defect(answer) in broken:
        return "preexisting"
    uses = known_good.view.uses
    earlier = uses.by_key.get(use.key)
    if earlier is None:
        return "unknown" if use.place in uses.reached else "introduced"
    return "unknown" if all(is_undecided(one, known_good.view) for one in earlier) else "introduced"


def _homes(answer: Answer, known_good: Run | None) -> tuple[Evidence, ...]:
    if known_good is None:
        return ()
    home = home_of(known_good.view, answer.symbol)
    return (home,) if home is not None else ()


def _finding(
    answer: Answer, status: Status, codes: dict[str, CodeInfo], homes: tuple[Evidence, ...]
) -> Finding:
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
        contract=answer.contract,
    )
