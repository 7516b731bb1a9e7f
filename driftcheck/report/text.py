"""Text for people: a code frame a finding, where the symbol is on both versions, and what to do."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from driftcheck.model import Finding, Report
from driftcheck.report.context import Context
from driftcheck.report.escape import visible
from driftcheck.report.frame import SourceLines, frame
from driftcheck.report.summary import shown, summary

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def render(report: Report, context: Context) -> str:
    """The findings as frames, then the summary line.

    With a width, notes are wrapped to it and source lines cut; without, no line is changed.
    """
    # rich takes longer to import than a small check takes to run.
    from rich.console import Console
    from rich.text import Text

    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=context.color,
        no_color=not context.color,
        color_system="standard" if context.color else None,
        width=context.width or 1_000_000,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    sources = SourceLines(context.read)
    for finding in shown(report):
        _finding(console, finding, sources, context)
        console.print()
    style = _STYLES["error"] if any(one.severity == "error" for one in shown(report)) else "bold"
    headline, separator, rest = summary(report, context).partition("; ")
    console.print(Text.assemble((headline, style), separator, rest))
    return out.getvalue()


def _finding(console: Console, finding: Finding, sources: SourceLines, context: Context) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    style = _STYLES[finding.severity]
    number = str(finding.line)
    margin = " " * len(number)
    headline = Text.assemble((f"{finding.severity}[{finding.code}]", style), ": ")
    headline.append(visible(finding.message), "bold")
    qualities = [] if finding.confidence == "certain" else [str(finding.confidence)]
    if finding.status == "preexisting":
        qualities.append("broken on known-good too")
    if qualities:
        headline.append(f" ({', '.join(qualities)})", "dim")
    console.print(headline)
    place = f"{visible(finding.path)}:{finding.line}:{finding.column}"
    console.print(Text.assemble(margin, ("--> ", "blue"), place), soft_wrap=True)
    line = sources.line(finding.path, finding.line)
    if line is not None:
        room = None if context.width is None else context.width - len(number) - 3
        text, start, length = frame(line, finding, room, cell_len)
        bar = f"{margin} |"
        for row in (
            Text(bar, "blue"),
            Text.assemble((f"{number} |", "blue"), f" {text}"),
            Text.assemble((bar, "blue"), " " * (start + 1), ("^" * length, style)),
        ):
            console.print(row, soft_wrap=True)
    for label, note in _notes(finding, context):
        _note(console, margin, label, note)


def _note(console: Console, margin: str, label: str, note: Text) -> None:
    """A labelled note; what does not fit goes on below it, indented."""
    from rich.text import Text

    head = Text.assemble(margin, (" = ", "blue"), (f"{label}: ", "bold"))
    room = console.width - head.cell_len
    lines = note.wrap(console, room) if room >= 20 else [note]
    for index, line in enumerate(lines):
        line.rstrip()
        console.print(head + line if index == 0 else Text(" " * head.cell_len) + line, soft_wrap=True)


def _notes(finding: Finding, context: Context) -> list[tuple[str, Text]]:
    from rich.text import Text

    notes = [("symbol", Text(visible(finding.symbol)))]
    for one in finding.evidence:
        note = Text(f"{visible(one.path)}:{one.line}")
        if one.text:
            note.append(f"  {visible(one.text.strip())}", "dim")
        notes.append((visible(one.version), note))
    if finding.since:
        notes.append(("since", Text(visible(finding.since))))
    if finding.contract:
        notes.append(("contract", Text(visible(finding.contract))))
    if finding.fix is not None:
        label = "fix" if finding.fix.applicability == "safe" else f"fix ({finding.fix.applicability})"
        notes.append((label, Text(visible(finding.fix.description))))
    elif finding.code in context.hints:
        notes.append(("help", Text(visible(context.hints[finding.code]))))
    notes += [
        ("related", Text(f"{visible(other.path)}:{other.line}  {visible(other.message)}"))
        for other in finding.related
    ]
    if finding.proof is not None:
        notes.append(("proof", Text(visible(f"{finding.proof.verdict} ({finding.proof.scenario})"))))
    return notes
