"""Text for people: a code frame a finding, where the symbol is on both versions, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from driftcheck.model import Chain, Finding, Report
from driftcheck.report.context import Context
from driftcheck.report.escape import visible
from driftcheck.report.frame import SourceLines, frame
from driftcheck.report.style import Line, cells, paint, width_of_line, wrap
from driftcheck.report.summary import shown, summary

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def render(report: Report, context: Context) -> str:
    """The findings as frames, then the summary line.

    With a width, notes are wrapped to it and source lines cut; without, no line is changed.
    """
    sources = SourceLines(context.read)
    rows: list[Line] = []
    for finding in shown(report):
        rows += [*_finding(finding, sources, context), []]
    for chain in report.strikes:
        rows += [*_chain(chain, report, context), []]
    style = _STYLES["error"] if any(one.severity == "error" for one in shown(report)) else "bold"
    headline, separator, rest = summary(report, context).partition("; ")
    rows += _wrapped([(headline, style), (separator + rest, "")], context)
    return "".join(paint(row, context.color) + "\n" for row in rows)


def _finding(finding: Finding, sources: SourceLines, context: Context) -> Iterator[Line]:
    style = _STYLES[finding.severity]
    number = str(finding.line)
    margin = " " * len(number)
    headline: Line = [(f"{finding.severity}[{finding.code}]", style), (": ", "")]
    headline.append((visible(finding.message), "bold"))
    qualities = [] if finding.confidence == "certain" else [str(finding.confidence)]
    if finding.status == "preexisting":
        qualities.append("broken on known-good too")
    if finding.provider is not None:
        qualities.append(visible(finding.provider))
    if qualities:
        headline.append((f" ({', '.join(qualities)})", "dim"))
    yield from _wrapped(headline, context)
    yield [(margin, ""), ("--> ", "blue"), (f"{visible(finding.path)}:{finding.line}:{finding.column}", "")]
    line = sources.line(finding.path, finding.line)
    if line is not None:
        room = None if context.width is None else context.width - len(number) - 3
        text, start, length = frame(line, finding, room, cells)
        yield [(f"{margin} |", "blue")]
        yield [(f"{number} |", "blue"), (f" {text}", "")]
        yield [(f"{margin} |", "blue"), (" " * (start + 1), ""), ("^" * length, style)]
    for label, note in _notes(finding, context):
        yield from _note(margin, label, note, context)


def _chain(chain: Chain, report: Report, context: Context) -> Iterator[Line]:
    """What strikes after what when the consumer runs, a line each."""
    found = {(one.path, one.line, one.column, one.code): one for one in shown(report)}
    yield from _wrapped(
        [("order", "bold cyan"), (f": when {visible(chain.function)}() runs, in turn", "")], context
    )
    for number, step in enumerate(chain.steps, 1):
        finding = found.get((step.path, step.line, step.column, step.code))
        if finding is not None:
            place = f"{visible(step.path)}:{step.line}:{step.column}"
            style = _STYLES[finding.severity]
            row = [
                (f"{number:3}. ", ""),
                (step.code, style),
                (f" {place} {visible(_last(finding.symbol))}", ""),
            ]
            yield from _wrapped(row, context)


def _last(symbol: str) -> str:
    return ".".join(symbol.split(".")[-2:])


def _wrapped(line: Line, context: Context) -> list[Line]:
    return [line] if context.width is None else wrap(line, context.width)


def _note(margin: str, label: str, note: Line, context: Context) -> Iterator[Line]:
    """A labelled note; what does not fit goes on below it, indented."""
    head: Line = [(margin, ""), (" = ", "blue"), (f"{label}: ", "bold")]
    indent = width_of_line(head)
    room = None if context.width is None else context.width - indent
    rows = wrap(note, room) if room is not None and room >= 20 else [note]
    for index, row in enumerate(rows):
        yield [*(head if index == 0 else [(" " * indent, "")]), *row]


def _notes(finding: Finding, context: Context) -> Iterator[tuple[str, Line]]:
    if finding.symbol:
        yield "symbol", _plain(finding.symbol)
    for one in finding.evidence:
        note = [(f"{visible(one.path)}:{one.line}", "")]
        if one.text:
            note.append((f"  {visible(one.text.strip())}", "dim"))
        yield visible(one.version), note
    if finding.since:
        yield "since", _plain(finding.since)
    if finding.contract:
        yield "contract", _plain(finding.contract)
    if finding.fix is not None:
        safe = finding.fix.applicability == "safe"
        yield "fix" if safe else f"fix ({finding.fix.applicability})", _plain(finding.fix.description)
    elif finding.code in context.hints:
        yield "help", _plain(context.hints[finding.code])
    for other in finding.related:
        yield "related", _plain(f"{other.path}:{other.line}  {other.message}")
    if finding.proof is not None:
        yield "proof", _plain(f"{finding.proof.verdict} ({finding.proof.scenario})")


def _plain(text: str) -> Line:
    return [(visible(text), "")]
