"""An audit as one page that loads nothing: heat map, plan, forecast, module graph.

All of it is in the markup, so that it reads and prints without a script; the script adds filters,
keyboard, and the choice of the release that the graph shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from driftcheck.queries.structs import AuditReport, Column, Row, State
from driftcheck.report.audit_text import OUTCOMES, short_symbol, step_words
from driftcheck.report.escape import visible
from driftcheck.report.links import rule_page
from driftcheck.report.matrix_columns import packaging_notes
from driftcheck.report.module_graph import svg

MARKS: dict[State, str] = {
    "breaks": "✗",
    "risk": "!",
    "possible": "?",
    "note": "d",
    "holds": "",
    "unknown": "",
    "absent": "–",
}
WORDS: dict[State, str] = {
    "breaks": "breaks",
    "risk": "risk: silent or changed behaviour",
    "possible": "possibly breaks",
    "note": "deprecated",
    "holds": "holds",
    "unknown": "not known",
    "absent": "not reached",
}


def render(report: AuditReport) -> str:
    """The page."""
    title = f"{report.consumer.spec} over the releases of {report.provider}"
    style, script = (resource(f"audit.{kind}") for kind in ("css", "js"))
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">",
        f"<title>{_text(title)}</title><style>{style}</style></head><body>",
        *_head(report, title),
        *_controls(report),
        *_map(report),
        *_plan(report),
        *_forecast(report),
        *_graph(report),
        *_foot(report),
        f"<script>{script}</script></body></html>",
    ]
    return "\n".join(parts) + "\n"


def resource(name: str) -> str:
    """A file beside this module, as text."""
    return files("driftcheck.report").joinpath(name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return escape(visible(text))


# The top


def _head(report: AuditReport, title: str) -> Iterator[str]:
    versions = [column.version for column in report.releases]
    good = report.known_good.version if report.known_good else None
    about = f"{len(versions)} releases, {versions[0]} to {versions[-1]}"
    if good:
        about += f"; known-good {good}" + (
            ", assumed: the newest on which every use holds" if report.known_good_assumed else ""
        )
    else:
        about += "; no known-good release"
    yield f"<header><h1>{_text(title)}</h1><p>{_text(about)}</p></header>"
    range_ = report.range
    name = report.provider
    last = report.releases[-1]
    verdict = (
        "every use holds" if last.verified else last.error or f"{last.breaks} breaks, {last.risks} risks"
    )
    yield '<section class="cards">'
    yield _card(
        "verified",
        f"{name}{range_.verified}" if range_.verified else "no release",
        "good" if range_.verified else "bad",
    )
    if range_.proposed != range_.verified and range_.proposed:
        yield _card("proposed", f"{name}{range_.proposed}", "good")
    yield _card(
        "declared",
        f"{name}{range_.declared}" if range_.declared else "nothing",
        "bad" if range_.too_wide else "",
    )
    yield _card(f"on {last.version}", verdict, "good" if last.verified else "bad")
    yield "</section>"
    said = [f"{name}{other} holds too" for other in range_.others]
    if range_.too_wide:
        said.append(f"declared, but something breaks: {', '.join(range_.too_wide)}")
    if range_.too_narrow:
        said.append(f"holds, but not declared: {', '.join(range_.too_narrow)}")
    said += packaging_notes(report)
    for column in report.releases:
        if column.error:
            said.append(f"{column.version} was not examined: {column.error}")
    if report.skipped:
        said.append(f"left out: {', '.join(report.skipped)}")
    if said:
        yield '<ul class="said">' + "".join(f"<li>{_text(one)}</li>" for one in said) + "</ul>"


def _card(label: str, value: str, kind: str) -> str:
    return f'<div class="card {kind}"><span>{_text(label)}</span><b>{_text(value)}</b></div>'


def _controls(report: AuditReport) -> Iterator[str]:
    counts = {
        "breaks": sum("breaks" in row.states for row in report.rows),
        "risk": sum("risk" in row.states and "breaks" not in row.states for row in report.rows),
        "note": sum(row.code == "DC108" for row in report.rows),
        "possible": sum(row.confidence == "possible" for row in report.rows),
        "holds": report.holding,
    }
    labels = {
        "breaks": "breaks",
        "risk": "risks",
        "note": "deprecated",
        "possible": "possible",
        "holds": "holding",
    }
    yield '<nav class="controls" aria-label="filters">'
    for kind, label in labels.items():
        on = kind in ("breaks", "risk", "note")
        yield (
            f'<label class="chip s-{kind}">'
            f'<input type="checkbox" data-kind="{kind}"{" checked" if on else ""}>'
            f"{label} <b>{counts[kind]}</b></label>"
        )
    yield '<input id="search" type="search" placeholder="filter: symbol, file, code" '
    yield 'aria-label="filter rows">'
    yield '<label class="pick">release <select id="release">'
    for number, column in enumerate(report.releases):
        chosen = " selected" if number == len(report.releases) - 1 else ""
        yield f'<option value="{number}"{chosen}>{_text(column.version)}</option>'
    yield "</select></label>"
    yield '<label class="chip"><input type="checkbox" id="only">only what that release breaks</label>'
    yield '<button id="expand" type="button">expand all</button>'
    yield '<button id="theme" type="button">dark</button>'
    yield '<details class="keys"><summary>keys</summary><p><kbd>j</kbd> <kbd>k</kbd> row, '
    yield "<kbd>Enter</kbd> open, <kbd>←</kbd> <kbd>→</kbd> release, <kbd>/</kbd> filter, "
    yield "<kbd>e</kbd> all, <kbd>Esc</kbd> close</p></details></nav>"


# The heat map


def _map(report: AuditReport) -> Iterator[str]:
    good = report.known_good.version if report.known_good else None
    yield '<section><h2>Uses and releases</h2><div class="scroll"><table id="map"><thead><tr>'
    yield '<th class="use">use</th>'
    for number, column in enumerate(report.releases):
        kinds = " ".join(
            word
            for word, on in (("good", column.version == good), ("declared", column.declared is True))
            if on
        )
        yield f'<th class="version {kinds}" data-at="{number}" scope="col"><button type="button">'
        yield f"<span>{_text(column.version)}</span></button></th>"
    yield '</tr><tr class="totals"><th class="use" scope="row">breaks and risks</th>'
    for number, column in enumerate(report.releases):
        yield _total(number, column)
    yield "</tr></thead>"
    path = None
    for row in report.rows:
        if row.place.path != path:
            if path is not None:
                yield "</tbody>"
            path = row.place.path
            span = len(report.releases) + 1
            yield f'<tbody data-path="{_text(path)}"><tr class="file"><th colspan="{span}" scope="rowgroup">'
            yield f"<span>{_text(path)}</span></th></tr>"
        yield from _row(row, report)
    if path is not None:
        yield "</tbody>"
    yield '</table></div><p id="nothing" hidden>No row fits the filters.</p>'
    yield (
        '<p class="legend">'
        + " ".join(
            f'<span class="key"><i class="cell s-{state}">{MARKS[state]}</i>{_text(WORDS[state])}</span>'
            for state in MARKS
        )
        + "</p></section>"
    )


def _total(number: int, column: Column) -> str:
    count = column.breaks + column.risks
    text = "✓" if column.verified else str(count or "×")
    said = "verified" if column.verified else column.error or f"{column.breaks} breaks, {column.risks} risks"
    kind = "ok" if column.verified else "no"
    title = _text(f"{column.version}: {said}")
    return f'<td class="total {kind}" data-at="{number}" title="{title}">{text}</td>'


def _kind(row: Row) -> str:
    if row.code is None:
        return "holds"
    if row.code == "DC108":
        return "note"
    for state in ("breaks", "risk"):
        if state in row.states:
            return state
    return "possible"


def _row(row: Row, report: AuditReport) -> Iterator[str]:
    kind = _kind(row)
    words = " ".join((row.symbol, row.place.path, row.code or "", row.name or "", row.message)).lower()
    hidden = " hidden" if kind in ("possible", "holds") else ""
    yield (
        f'<tr class="row k-{kind}" id="r-{row.id}" tabindex="0" aria-expanded="false" data-kind="{kind}" '
        f'data-words="{_text(words)}" data-states="{" ".join(row.states)}"{hidden}>'
        f'<th class="use" scope="row"><span class="line">{row.place.line}</span>'
        f'<span class="code">{row.code or ""}</span>'
        f'<span class="symbol" title="{_text(row.symbol)}">{_text(short_symbol(row))}</span></th>'
    )
    for number, (column, state) in enumerate(zip(report.releases, row.states, strict=True)):
        since = " since" if row.since == column.version and state in ("breaks", "risk") else ""
        title = _text(f"{column.version}: {WORDS[state]}")
        yield f'<td class="cell s-{state}{since}" data-at="{number}" title="{title}">{MARKS[state]}</td>'
    yield "</tr>"
    yield f'<tr class="detail" hidden><td colspan="{len(report.releases) + 1}"><div class="inside">'
    yield from _detail(row, report)
    yield "</div></td></tr>"


def _detail(row: Row, report: AuditReport) -> Iterator[str]:
    place = f"{row.place.path}:{row.place.line}:{row.place.column}"
    if row.code is not None:
        link = rule_page(row.code, row.name or "")
        name = f"{row.code} {_text(row.name or '')}"
        yield f'<p class="message"><a href="{escape(link)}" rel="noreferrer">{name}</a> '
        yield f"{_text(row.message)}</p>"
        yield f'<p class="facts">{_text(_facts(row))}</p>'
    else:
        yield f'<p class="message">{_text(row.symbol)} holds wherever it is known.</p>'
    yield f'<h4>consumer</h4><pre><span class="at">{_text(place)}</span>\n{_text(row.source)}</pre>'
    if row.related:
        yield (
            "<ul>"
            + "".join(
                f"<li><code>{_text(f'{one.path}:{one.line}')}</code> {_text(one.message)}</li>"
                for one in row.related
            )
            + "</ul>"
        )
    if row.evidence:
        yield (
            "<h4>provider</h4><pre>"
            + "\n".join(
                f'<span class="at">{_text(f"{one.version}  {one.path}:{one.line}")}</span>\n{_text(one.text)}'
                for one in row.evidence
            )
            + "</pre>"
        )
    if row.fix is not None:
        yield f"<h4>fix ({row.fix.applicability}): {_text(row.fix.description)}</h4>"
        if row.diff:
            yield f'<pre class="diff">{"".join(_diff_line(line) for line in row.diff.splitlines())}</pre>'
    if row.history:
        yield '<h4>history</h4><table class="history">'
        for entry in row.history:
            when = entry.first if entry.first == entry.last else f"{entry.first} – {entry.last}"
            shape = f"<code>{_text(entry.shape)}</code>" if entry.shape else "<em>not there</em>"
            yield f'<tr><th scope="row">{_text(when)}</th><td>{shape}</td></tr>'
        yield "</table>"
    yield f'<p class="symbolname"><code>{_text(row.symbol)}</code></p>'


def _facts(row: Row) -> str:
    found = [f"{row.severity}, {row.confidence}"]
    if row.since:
        found.append(f"since {row.since}")
    if row.repaired:
        found.append(f"repaired in {row.repaired}")
    if row.returned:
        found.append(f"back in {row.returned}")
    if row.contract:
        found.append(f"rests on the contract {row.contract}")
    return "; ".join(found)


def _diff_line(line: str) -> str:
    kind = {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "")
    return f'<span class="{kind}">{_text(line)}</span>\n' if kind else f"{_text(line)}\n"


# Plan, forecast, graph


def _plan(report: AuditReport) -> Iterator[str]:
    if not report.plan:
        return
    rows = {row.id: row for row in report.rows}
    yield '<section><h2>What repairs would add</h2><ol class="plan">'
    for step in report.plan:
        yield f"<li><p>{_text(step_words(step, report.provider))}</p><ul>"
        for key in step.rows:
            row = rows[key]
            fix = f": {_text(row.fix.description)}" if row.fix else ""
            yield (
                f'<li><a href="#r-{row.id}">{row.code} {_text(short_symbol(row))}</a> '
                f'<span class="effort e-{min(row.effort, 6)}">{_text(row.effort_words)}</span>{fix}</li>'
            )
        yield "</ul></li>"
    yield "</ol></section>"


def _forecast(report: AuditReport) -> Iterator[str]:
    if not report.forecast:
        return
    yield '<section><h2>Announced removals of what is used</h2><div class="scroll"><table class="forecast">'
    heads = ("symbol", "announced in", "removal in", "instead", "outcome")
    yield f"<thead><tr>{''.join(f'<th>{one}</th>' for one in heads)}</tr></thead>"
    for one in report.forecast:
        seen = one.first if one.first == one.last else f"{one.first} – {one.last}"
        cells = (
            one.symbol,
            seen,
            one.removal or "not said",
            one.instead or "",
            OUTCOMES[one.outcome].format(removed=one.removed),
        )
        yield "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>"
    yield "</table></div></section>"


def _graph(report: AuditReport) -> Iterator[str]:
    if not report.modules:
        return
    last = len(report.releases) - 1
    yield f'<section><h2>Modules on <span id="shown">{_text(report.releases[last].version)}</span></h2>'
    yield f'<div class="scroll graph">{svg(report.modules, last)}</div></section>'


def _foot(report: AuditReport) -> Iterator[str]:
    yield f"<footer>driftcheck {_text(report.driftcheck)}</footer>"
