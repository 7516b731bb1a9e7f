"""Releases side by side: one row a drift, and one for every use that never drifts."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from driftcheck.model import Finding
from driftcheck.queries.effort import effort_of
from driftcheck.queries.structs import HistoryEntry, Place, ReleaseResult, Row, State, Stretch, UseState

UNLIMITING = frozenset({"DC108", "DC501", "DC901", "DC903", "DC904"})
"""Codes that do not keep a release from being verified: announced, or about the consumer's own files."""

_FAMILY = {"DC103": "DC102", "DC104": "DC102", "DC408": "DC102", "DC205": "DC201", "DC206": "DC201"}
_BAD: tuple[State, ...] = ("breaks", "risk")


def rows_of(
    results: Sequence[ReleaseResult], known_good: str | None, line: Callable[[str, int], str | None]
) -> list[Row]:
    """The rows: drifts by place, then uses that hold wherever they are known."""
    drifts: dict[Hashable, dict[int, Finding]] = defaultdict(dict)
    for number, result in enumerate(results):
        for finding in result.findings:
            if finding.status != "fixed":
                drifts[_identity(finding)].setdefault(number, finding)
    places = [_by_path(result.uses) for result in results]
    good = next((n for n, r in enumerate(results) if r.version == known_good), None)
    rows = [_drift_row(found, results, places, good, line) for found in drifts.values()]
    touched = [row.place for row in rows]
    rows += _holding_rows(results, touched, line)
    return sorted(rows, key=lambda row: (row.place, row.code or "", row.symbol))


def _identity(finding: Finding) -> Hashable:
    """What one drift has in common on every release; several codes of one family are one drift."""
    family = _FAMILY.get(finding.code, finding.code)
    return (
        family,
        finding.path,
        finding.line,
        finding.column,
        finding.end_line,
        finding.end_column,
        finding.symbol.rpartition(".")[2],
    )


def _drift_row(
    found: dict[int, Finding],
    results: Sequence[ReleaseResult],
    places: list[dict[str, list[UseState]]],
    good: int | None,
    line: Callable[[str, int], str | None],
) -> Row:
    last = found[max(found)]
    gravest = min(found.values(), key=lambda one: (_RANKS[_state(one)], -_at(found, one)))
    place = Place(last.path, last.line, last.column, last.end_line, last.end_column)
    states: list[State] = []
    inside: list[UseState | None] = []
    called = any(
        use.kind == "call" and use.place.holds(place) for uses in places for use in uses.get(place.path, ())
    )
    for number, result in enumerate(results):
        use = _use_at(places[number], place)
        inside.append(use)
        if result.error is not None:
            states.append("unknown")
        elif number in found:
            states.append(_state(found[number]))
        elif use is None:
            states.append(_without_use(result, place, last.code, called))
        else:
            states.append("unknown" if use.state == "unknown" else "holds")
    told = found[max(n for n, one in found.items() if _state(one) == _state(gravest))]
    limits = told.code not in UNLIMITING and any(
        _state(one) in _BAD and one.status != "preexisting" for one in found.values()
    )
    broken = _stretches(results, [state == _state(gravest) or state in _BAD for state in states])
    since, repaired, returned = _turns(results, states, good)
    effort, words = effort_of(told)
    module = next(
        (use.module for use in reversed(inside) if use is not None and use.module), _package(last.symbol)
    )
    return Row(
        id=_row_id(last),
        code=told.code,
        name=told.name,
        severity=told.severity,
        confidence=told.confidence,
        place=place,
        symbol=told.symbol,
        provider_module=module,
        message=told.message,
        states=states,
        since=since,
        repaired=repaired,
        returned=returned,
        broken=broken,
        limits=limits,
        evidence=told.evidence,
        related=told.related,
        contract=told.contract,
        fix=told.fix,
        effort=effort,
        effort_words=words,
        source=line(last.path, last.line) or "",
        history=_history(results, inside),
    )


def _without_use(result: ReleaseResult, place: Place, code: str, called: bool) -> State:
    """A place that nothing of the provider is used at on that release."""
    if code.startswith("DC5"):
        return "holds"
    if not any(place.line <= line <= place.end_line for line in result.reached.get(place.path, ())):
        return "absent"
    # A call whose function is missing is not seen as one of the provider's.
    return "unknown" if called else "holds"


def _holding_rows(
    results: Sequence[ReleaseResult], touched: list[Place], line: Callable[[str, int], str | None]
) -> list[Row]:
    """Uses that no finding is about, one row a place; the kind that says most names it."""
    taken = set(touched)
    found: dict[Place, dict[int, UseState]] = defaultdict(dict)
    for number, result in enumerate(results):
        for use in result.uses:
            if use.place in taken:
                continue
            other = found[use.place].get(number)
            if other is None or _SAYS[use.kind] < _SAYS[other.kind]:
                found[use.place][number] = use
    rows: list[Row] = []
    for place, uses in found.items():
        latest = uses[max(uses)]
        named = next((uses[n] for n in sorted(uses, reverse=True) if uses[n].symbol), latest)
        states: list[State] = [
            "absent"
            if n not in uses
            else "unknown"
            if uses[n].state == "unknown" or result.error
            else "holds"
            for n, result in enumerate(results)
        ]
        rows.append(
            Row(
                id=_digest(f"{place} {latest.kind}"),
                code=None,
                name=None,
                severity=None,
                confidence=None,
                place=place,
                symbol=named.symbol,
                provider_module=named.module,
                message="",
                states=states,
                source=line(place.path, place.line) or "",
                history=_history(results, [uses.get(n) for n in range(len(results))]),
            )
        )
    return rows


_RANKS: dict[State, int] = {
    "breaks": 0,
    "risk": 1,
    "possible": 2,
    "note": 3,
    "unknown": 4,
    "absent": 5,
    "holds": 6,
}
_SAYS = defaultdict(lambda: 5, {"call": 0, "import": 1, "attribute": 2, "class": 3, "store": 3, "patch": 3})


def _state(finding: Finding) -> State:
    if finding.confidence == "possible":
        return "possible"
    return {"error": "breaks", "warning": "risk", "note": "note"}[finding.severity]  # type: ignore[return-value]


def _at(found: dict[int, Finding], one: Finding) -> int:
    return next(number for number, other in found.items() if other is one)


def _by_path(uses: Iterable[UseState]) -> dict[str, list[UseState]]:
    found: dict[str, list[UseState]] = defaultdict(list)
    for use in uses:
        found[use.place.path].append(use)
    return found


def _use_at(uses: dict[str, list[UseState]], place: Place) -> UseState | None:
    """The narrowest use whose region holds a place."""
    around = [use for use in uses.get(place.path, ()) if use.place.holds(place)]
    return min(
        around,
        key=lambda use: (use.place.end_line - use.place.line, use.place.end_column, _SAYS[use.kind]),
        default=None,
    )


def _stretches(results: Sequence[ReleaseResult], flags: list[bool]) -> list[Stretch]:
    found: list[Stretch] = []
    begun: int | None = None
    for number, flag in enumerate([*flags, False]):
        if flag and begun is None:
            begun = number
        elif not flag and begun is not None:
            found.append(Stretch(results[begun].version, results[number - 1].version))
            begun = None
    return found


def _turns(
    results: Sequence[ReleaseResult], states: list[State], good: int | None
) -> tuple[str | None, str | None, str | None]:
    """Since when it drifts, when it was repaired, when it came back; seen upwards from known-good."""
    since = repaired = returned = None
    bad = [state not in ("holds", "absent", "unknown") for state in states]
    start = good or 0
    for number in range(start, len(states)):
        if bad[number]:
            if since is None:
                since = results[number].version
            elif repaired is not None and returned is None:
                returned = results[number].version
        elif since is not None and repaired is None and states[number] == "holds":
            repaired = results[number].version
    if since is None:
        # Only before known-good: what came with a later release.
        first = next(number for number, flag in enumerate(bad) if flag)
        since = results[first].version
        repaired = next((results[n].version for n in range(first, len(states)) if states[n] == "holds"), None)
    return since, repaired, returned


def _history(results: Sequence[ReleaseResult], uses: Sequence[UseState | None]) -> list[HistoryEntry]:
    """How the definition reads, equal neighbours as one entry; releases that say nothing are passed over."""
    found: list[HistoryEntry] = []
    for result, use in zip(results, uses, strict=True):
        if use is None or (not use.shape and use.state == "unknown"):
            continue
        if found and found[-1].shape == use.shape:
            found[-1] = HistoryEntry(found[-1].first, result.version, use.shape)
        else:
            found.append(HistoryEntry(result.version, result.version, use.shape))
    return found


def _package(symbol: str) -> str:
    return symbol.split(".")[0]


def _row_id(finding: Finding) -> str:
    return _digest(repr(_identity(finding)))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
