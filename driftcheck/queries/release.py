"""One release of an audit: its findings, and what every use does on it."""

from __future__ import annotations

from driftcheck.checks.undecided import is_undecided
from driftcheck.engine.session import Rules, Run, compared
from driftcheck.model import Span
from driftcheck.queries.described import home_module, shape_of, symbol_of
from driftcheck.queries.structs import Place, ReleaseResult, UseState


def result_of(run: Run, before: Run | None, rules: Rules) -> ReleaseResult:
    """What a run showed, in a form that outlives it."""
    findings = compared(run, before, rules)
    lines: dict[str, set[int]] = {}
    for path, line, _ in run.view.uses.reached:
        lines.setdefault(path, set()).add(line)
    for use in run.view.uses.uses:
        # A statement over several lines is reached at its first one too.
        lines.setdefault(use.path, set()).add(use.node.lineno)  # type: ignore[attr-defined]
    reached = {path: sorted(found) for path, found in sorted(lines.items())}
    return ReleaseResult(run.view.version, findings, _uses(run), reached)


def _uses(run: Run) -> list[UseState]:
    """One entry for each place and kind of use: broken before holding, holding before unknown."""
    world = run.view.world
    broken = {id(use) for use, _ in run.answers}
    found: dict[tuple[str, Place], UseState] = {}
    for use in run.view.uses.uses:
        place = _place(use.path, use.span)
        state = "broken" if id(use) in broken else "unknown" if is_undecided(use, run.view) else "holds"
        key = (type(use).__name__, place)
        other = found.get(key)
        if other is not None and _ORDER[other.state] <= _ORDER[state]:
            continue
        symbol = symbol_of(use, world)
        module = home_module(symbol, world) if symbol else ""
        kind = type(use).__name__.removesuffix("Use").lower()
        found[key] = UseState(kind, place, symbol, module, shape_of(use, world), state)  # type: ignore[arg-type]
    return list(found.values())


_ORDER = {"broken": 0, "holds": 1, "unknown": 2}


def _place(path: str, span: Span) -> Place:
    return Place(path, span.line, span.column, span.end_line, span.end_column)
