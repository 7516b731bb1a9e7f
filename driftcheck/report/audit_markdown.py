"""An audit for a pull request: the range, the matrix by groups of releases, and the plan."""

from __future__ import annotations

from driftcheck.queries.structs import AuditReport, Row, State
from driftcheck.report.audit_text import OUTCOMES, short_symbol, step_words, wanted_rows
from driftcheck.report.escape import visible
from driftcheck.report.links import rule_page
from driftcheck.report.matrix_columns import Group, groups

SIGNS: dict[State, str] = {
    "breaks": "❌",
    "risk": "⚠️",
    "possible": "❔",
    "note": "ℹ️",
    "holds": "✅",
    "unknown": " ",
    "absent": "–",
}
_SPECIAL = frozenset("\\`*_[]<>|~#&!@")


def render(report: AuditReport, all_uses: bool = False, possible: bool = False) -> str:
    """The audit in GitHub's Markdown."""
    name = report.provider
    rows = wanted_rows(report, all_uses, possible)
    columns = groups(report, rows)
    lines = [f"### driftcheck: {_plain(report.consumer.spec)} over the releases of {_plain(name)}", ""]
    range_ = report.range
    lines += ["| | |", "| --- | --- |"]
    lines.append(f"| verified | {_code(name + range_.verified) if range_.verified else 'no release'} |")
    if range_.proposed and range_.proposed != range_.verified:
        lines.append(f"| proposed | {_code(name + range_.proposed)} |")
    lines.append(f"| declared | {_code(name + range_.declared) if range_.declared else 'nothing'} |")
    if range_.too_wide:
        lines.append(f"| declared, but something breaks | {_plain(', '.join(range_.too_wide))} |")
    if range_.too_narrow:
        lines.append(f"| holds, but not declared | {_plain(', '.join(range_.too_narrow))} |")
    lines.append("")
    if rows:
        lines += ["| where | code | use | since | " + " | ".join(_heading(one) for one in columns) + " |"]
        lines += ["| --- | --- | --- | --- |" + " :-: |" * len(columns)]
        lines += [_row(row, columns) for row in rows]
        lines.append("")
    if report.plan:
        lines += ["#### What repairs would add", ""]
        by_id = {row.id: row for row in report.rows}
        for number, step in enumerate(report.plan, 1):
            lines.append(f"{number}. {_plain(step_words(step, name))}")
            lines += [_repair(by_id[key]) for key in step.rows]
        lines.append("")
    if report.forecast:
        lines += ["#### Announced removals of what is used", ""]
        for one in report.forecast:
            due = one.removal or "no release named"
            lines.append(
                f"- {_code(one.symbol)}: {_plain(due)}; "
                f"{_plain(OUTCOMES[one.outcome].format(removed=one.removed))}"
            )
        lines.append("")
    return "\n".join(lines)


def _heading(group: Group) -> str:
    return _plain(group.version if group.size == 1 else f"{group.version} – {group.last}")


def _row(row: Row, columns: list[Group]) -> str:
    code = f"[{row.code}]({rule_page(row.code, row.name or '')})" if row.code else ""
    place = _code(f"{row.place.path}:{row.place.line}")
    cells = " | ".join(SIGNS[row.states[column.first]] for column in columns)
    return f"| {place} | {code} | {_code(short_symbol(row))} | {_plain(row.since or '')} | {cells} |"


def _repair(row: Row) -> str:
    fix = f": {_plain(row.fix.description)}" if row.fix else ""
    return f"   - {row.code} {_code(f'{row.place.path}:{row.place.line}')} ({_plain(row.effort_words)}){fix}"


def _plain(text: str) -> str:
    return "".join("\\" + character if character in _SPECIAL else character for character in visible(text))


def _code(text: str) -> str:
    text = visible(text).replace("|", "\\|")
    ticks = "`"
    while ticks in text:
        ticks += "`"
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"
