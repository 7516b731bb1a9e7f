"""An audit for a terminal: the matrix, the range, the plan, the forecast."""

from __future__ import annotations

from collections.abc import Iterator

from driftcheck.queries.structs import AuditReport, Row, State, Step
from driftcheck.report.escape import visible
from driftcheck.report.matrix_columns import Group, groups, packaging_notes
from driftcheck.report.style import Line, cells, paint, wrap

MARKS: dict[State, tuple[str, str]] = {
    "breaks": ("✗", "bold red"),
    "risk": ("!", "bold yellow"),
    "possible": ("?", "dim"),
    "note": ("d", "cyan"),
    "holds": ("·", "dim"),
    "unknown": (" ", "dim"),
    "absent": ("-", "dim"),
}
_LEGEND = (
    "✗ breaks   ! risk (silent or changed behaviour)   d deprecated   "
    "· holds   - not reached   blank: not known"
)
DEFAULT_WIDTH = 120


def render(
    report: AuditReport,
    width: int | None = None,
    color: bool = False,
    all_uses: bool = False,
    possible: bool = False,
) -> str:
    """The audit as text of at most ``width`` cells (a file: 120)."""
    room = width or DEFAULT_WIDTH
    lines = [*_head(report, room), *_matrix(report, room, all_uses, possible), *_ranges(report, room)]
    lines += [*_plan(report, room), *_forecast(report, room)]
    return "".join(paint(line, color) + "\n" for line in lines)


def wanted_rows(report: AuditReport, all_uses: bool, possible: bool) -> list[Row]:
    """The rows that are shown: drifts, what is only possible where asked for, held uses where asked for."""
    return [
        row
        for row in report.rows
        if (row.code is None and all_uses)
        or (row.code is not None and (possible or row.confidence != "possible"))
    ]


def _head(report: AuditReport, room: int) -> Iterator[Line]:
    versions = [column.version for column in report.releases]
    ends = f"{versions[0]} to {versions[-1]}"
    text = f"{report.consumer.spec} over {len(versions)} releases of {report.provider}, {ends}"
    yield [(visible(text), "bold")]
    good = report.known_good.version if report.known_good else None
    if good is None:
        yield [("known-good: none, so nothing is known to have held", "dim")]
    elif report.known_good_assumed:
        yield from wrap(
            [(f"known-good: {good}, assumed: the newest release on which every use holds", "dim")], room
        )
    else:
        yield [(f"known-good: {good}", "dim")]
    if report.skipped:
        yield from wrap([(f"left out: {', '.join(report.skipped)}", "dim")], room)
    for column in report.releases:
        if column.error:
            yield from wrap(
                [(f"{column.version} was not examined: {visible(column.error)}", "bold red")], room
            )
    yield []


def _matrix(report: AuditReport, room: int, all_uses: bool, possible: bool) -> Iterator[Line]:
    rows = wanted_rows(report, all_uses, possible)
    if not rows:
        yield [(f"Nothing drifts: {report.holding} uses hold wherever they are known.", "bold")]
        yield []
        return
    columns = groups(report, rows)
    grid = len(columns) * 3
    label = max(room - grid - 1, 30)
    yield from _header(columns, label, report)
    path = None
    for row in rows:
        if row.place.path != path:
            path = row.place.path
            yield [(visible(path), "blue")]
        yield _row(row, columns, label)
    yield _totals(report, columns, label)
    yield from wrap([(_LEGEND, "dim")], room)
    if any(group.size > 1 for group in columns):
        yield from wrap([("A column stands for its release and those up to the next column.", "dim")], room)
    if not all_uses:
        yield from wrap(
            [(f"{report.holding} further uses hold wherever they are known (--all-uses).", "dim")], room
        )
    yield []


def _header(columns: list[Group], label: int, report: AuditReport) -> Iterator[Line]:
    """The releases' numbers, one part a line, the major left out where all share it."""
    parts = [column.version.split(".") for column in columns]
    same = len({part[0] for part in parts}) == 1 and all(len(part) > 1 for part in parts)
    shown = [part[1:] if same else part for part in parts]
    depth = min(max(len(part) for part in shown), 3)
    for level in range(depth):
        line: Line = [
            ((f"{report.provider} {parts[0][0]}." if same and level == 0 else "").rjust(label) + " ", "dim")
        ]
        for column, part in zip(columns, shown, strict=True):
            text = ("." if level else "") + part[level] if level < len(part) else ""
            style = "bold" if column.known_good else ""
            line.append((text[:3].rjust(3), style))
        yield line


def _row(row: Row, columns: list[Group], label: int) -> Line:
    head = f"{row.place.line:>5} {row.code or '     '} "
    name = visible(short_symbol(row))
    room = label - cells(head)
    if cells(name) > room:
        name = "…" + name[-(room - 1) :]
    line: Line = [
        (f"{row.place.line:>5} ", "dim"),
        (f"{row.code or '     '} ", "bold" if row.limits else ""),
        (name.ljust(room) + " ", ""),
    ]
    for column in columns:
        mark, style = MARKS[row.states[column.first]]
        line.append((mark.rjust(3), style))
    return line


def short_symbol(row: Row) -> str:
    """The last parts of a symbol, enough to know it by."""
    parts = [part for part in row.symbol.split(".") if part != "__init__"]
    tail = parts[-2:]
    if len(tail) == 2 and tail[0].islower() and not tail[0].startswith("_"):
        tail = tail[1:]
    return ".".join(tail) or row.source.strip()


def _totals(report: AuditReport, columns: list[Group], label: int) -> Line:
    line: Line = [("breaks and risks".rjust(label) + " ", "dim")]
    for column in columns:
        found = report.releases[column.first]
        count = found.breaks + found.risks
        line.append((("✓" if found.verified else str(count)).rjust(3), "" if found.verified else "bold red"))
    return line


def _ranges(report: AuditReport, room: int) -> Iterator[Line]:
    range_ = report.range
    name = report.provider
    if range_.verified is None:
        yield [("verified: no release", "bold red")]
    else:
        yield [("verified  ", "bold"), (f"{name}{range_.verified}", "")]
    if range_.proposed and range_.proposed != range_.verified:
        yield [("proposed  ", "bold"), (f"{name}{range_.proposed}", "")]
    yield [("declared  ", "bold"), (f"{name}{range_.declared}" if range_.declared else "nothing", "")]
    for text in range_.others:
        yield [("also      ", "bold"), (f"{name}{text}", "")]
    if range_.too_wide:
        yield from wrap(
            [("declared, but something breaks: ", "bold"), (", ".join(range_.too_wide), "")], room
        )
    elif range_.declared and range_.verified:
        yield [("every release looked at that is declared holds", "")]
    if range_.too_narrow:
        yield from wrap([("holds, but not declared: ", "bold"), (", ".join(range_.too_narrow), "")], room)
    for said in packaging_notes(report):
        yield from wrap([(visible(said), "")], room)
    yield []


def _plan(report: AuditReport, room: int) -> Iterator[Line]:
    if not report.plan:
        return
    rows = {row.id: row for row in report.rows}
    yield [("What repairs would add", "bold")]
    for number, step in enumerate(report.plan, 1):
        said: set[str] = set()
        yield from wrap([(f"{number}. ", "bold"), (step_words(step, report.provider), "")], room)
        for key in step.rows:
            row = rows[key]
            place = f"{row.place.path.rpartition('/')[2]}:{row.place.line}"
            text = f"     {row.code} {visible(place)} {visible(short_symbol(row))}"
            yield from wrap([(text, ""), (f"  {row.effort_words}", "dim")], room)
            if row.fix is not None and row.fix.description not in said:
                said.add(row.fix.description)  # one fix may repair several
                yield from wrap([(f"       {visible(row.fix.description)}", "dim")], room)
    yield []


_NUMBERS = ("no", "this one", "these two", "these three", "these four", "these five", "these six")


def step_words(step: Step, provider: str) -> str:
    """A step as a sentence."""
    count = len(step.rows)
    what = _NUMBERS[count] if count < len(_NUMBERS) else f"these {count}"
    if not step.adds:
        return f"fix {what} (more is in the way of that release)"
    reach = step.adds[-1]
    return f"fix {what} and the range reaches {reach}: {provider}{step.specifier}"


def _forecast(report: AuditReport, room: int) -> Iterator[Line]:
    if not report.forecast:
        return
    yield [("Announced removals of what is used", "bold")]
    for promise in report.forecast:
        due = f"for {promise.removal}" if promise.removal else "without a release"
        seen = promise.first if promise.first == promise.last else f"{promise.first} to {promise.last}"
        outcome = OUTCOMES[promise.outcome].format(removed=promise.removed)
        yield from wrap(
            [(f"  {visible(promise.symbol)}", ""), (f"  announced {due} ({seen}); {outcome}", "dim")], room
        )
    yield []


OUTCOMES = {
    "open": "still there",
    "kept": "kept: gone in {removed}",
    "early": "gone already in {removed}",
    "late": "gone only in {removed}",
    "overdue": "overdue: still there",
    "withdrawn": "no longer announced, and still there",
}
