"""An impact as one page that loads nothing; details unfold without a script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from driftcheck.queries.impact import Consumer, Impact
from driftcheck.report.audit_html import resource
from driftcheck.report.escape import visible


def render(impact: Impact) -> str:
    """The page: changes by reach, then consumers."""
    title = f"{impact.provider} {impact.first} to {impact.last}: what it breaks"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{_text(title)}</title><style>{resource('audit.css')}</style></head><body>",
        *_body(impact, title),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _body(impact: Impact, title: str) -> Iterator[str]:
    hit = sum(bool(one.breaks or one.risks) for one in impact.consumers)
    yield f"<header><h1>{_text(title)}</h1><p>{hit} of {len(impact.consumers)} consumers are hit</p></header>"
    yield "<section><h2>Changes, by reach</h2>"
    for change in impact.changes:
        kind = "bad" if change.severity == "error" else ""
        yield f'<details class="card {kind}"><summary><b>{change.reach}</b> {change.code} '
        yield f"<code>{_text(change.symbol)}</code></summary>"
        yield f'<p class="message">{_text(change.message)}</p><ul>'
        yield "".join(f"<li><code>{_text(place)}</code></li>" for place in change.places) + "</ul></details>"
    if not impact.changes:
        yield "<p>None of the consumers is hit.</p>"
    yield '</section><section><h2>Consumers</h2><div class="scroll">'
    yield '<table class="forecast"><thead><tr><th>consumer</th>'
    yield "<th>breaks</th><th>risks</th><th>uses</th><th>which</th></tr></thead>"
    for one in impact.consumers:
        yield _consumer(one)
    yield f"</table></div></section><footer>driftcheck {_text(impact.driftcheck)}</footer>"


def _consumer(one: Consumer) -> str:
    if one.error is not None:
        return f'<tr><td>{_text(one.spec)}</td><td colspan="4">not checked: {_text(one.error)}</td></tr>'
    which = "<br>".join(
        f"{found.code} <code>{_text(f'{found.path}:{found.line}')}</code> {_text(found.message)}"
        for found in one.findings
        if found.severity != "note"
    )
    breaks = f'<td class="total no">{one.breaks}</td>' if one.breaks else "<td>0</td>"
    return (
        f"<tr><td>{_text(one.spec)}</td>{breaks}<td>{one.risks}</td><td>{one.uses}</td><td>{which}</td></tr>"
    )


def _text(text: str) -> str:
    return escape(visible(text))
