"""One use, one finding: which of several answers is told, and which answers are one cause."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from driftcheck.checks import Answer
from driftcheck.infer.moves import moved_symbols
from driftcheck.infer.world import World
from driftcheck.model import Finding, Fix, Related
from driftcheck.uses import Use

Told = tuple[Use, Answer]

_BEFORE: dict[str, frozenset[str]] = {
    "DC104": frozenset({"DC102", "DC103"}),
    "DC205": frozenset({"DC201", "DC206"}),
    "DC206": frozenset({"DC201"}),
    "DC408": frozenset({"DC102", "DC103"}),
}
"""The codes that a more specific one stands for."""

_FAMILY = {"DC103": "DC102", "DC104": "DC102", "DC408": "DC102", "DC205": "DC201", "DC206": "DC201"}
_RANK = {"certain": 0, "likely": 1, "possible": 2}


def defect(answer: Answer) -> Hashable:
    """What an answer has in common with another version's for the same defect, whatever its code there."""
    return (_FAMILY.get(answer.code, answer.code), answer.path, answer.span, answer.subject)


def most_specific(answers: Iterable[Told]) -> list[Told]:
    """The answers without those that a more specific one at the same place stands for."""
    listed = list(answers)
    covered = {
        (code, answer.path, answer.span, answer.subject)
        for _, answer in listed
        for code in _BEFORE.get(answer.code, ())
    }
    return [(use, answer) for use, answer in listed if answer.key not in covered]


def at_old_home(world: World, answer: Answer) -> Answer:
    """An answer about a definition that moved: its symbol where it was, and what is taken for granted."""
    parts = answer.symbol.split(".")
    for count in range(len(parts), 1, -1):
        found = moved_symbols(world).get(".".join(parts[:count]))
        if found is not None:
            symbol, doubt = found
            answer = replace(answer, symbol=".".join([symbol, *parts[count:]]))
            if doubt:
                confidence = max(answer.confidence, "likely", key=lambda level: _RANK[level])
                answer = replace(answer, confidence=confidence, message=f"{answer.message} ({doubt})")
            break
    return answer


def one_cause(findings: list[tuple[str, Finding]]) -> list[Finding]:
    """Findings of one cause, code and status as the first of them, the others as its related places."""
    first: dict[Hashable, Finding] = {}
    kept: list[Finding] = []
    for cause, finding in sorted(findings, key=lambda pair: pair[1].order):
        key = (cause, finding.code, finding.status)
        if not cause or key not in first:
            kept.append(finding)
            first[key] = finding
            continue
        leader = first[key]
        leader.related = (*leader.related, Related(finding.path, finding.line, finding.message))
        leader.fix = _both(leader.fix, finding.fix)
    return kept


_APPLICABILITY = ("safe", "unsafe", "display")


def _both(one: Fix | None, other: Fix | None) -> Fix | None:
    """The fix of two findings that are told as one: the edits of both, no surer than either."""
    if one is None or other is None:
        return one or other
    worst = max(one.applicability, other.applicability, key=_APPLICABILITY.index)
    description = (
        one.description if one.description == other.description else f"{one.description}; {other.description}"
    )
    edits = tuple(dict.fromkeys((*one.edits, *other.edits)))
    return Fix(worst, description, edits)
