"""What ``show`` found, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from driftcheck.queries.show import PlaceText, Shown
from driftcheck.report.escape import visible
from driftcheck.report.style import Line, paint, wrap

DEFAULT_WIDTH = 120
MARGIN = 14
"""Characters of the column of labels, the longest of which is "did you mean"."""


def render(shown: Shown, width: int | None = None, color: bool = False) -> str:
    """The facts, one a line; long ones wrapped under their label."""
    room = width or DEFAULT_WIDTH
    lines: list[Line] = []
    for label, text, style in _facts(shown):
        head = f"{label:<{MARGIN}}"
        rows = wrap([(visible(text), style)], max(room - MARGIN, 30))
        for number, row in enumerate(rows):
            lines.append([(head if number == 0 else " " * MARGIN, "dim"), *row])
    return "".join(paint(line, color) + "\n" for line in lines)


def _facts(shown: Shown) -> Iterator[tuple[str, str, str]]:
    if not shown.found:
        yield "", f"{shown.asked} is not in {shown.version}: there is no {shown.missing}", "bold red"
        for one in shown.near:
            yield "did you mean", one, ""
        for one in shown.elsewhere:
            yield "defined", one, ""
    else:
        yield "", f"{shown.symbol} in {shown.version}", "bold"
        yield "kind", shown.kind, ""
        if shown.defined is not None:
            yield "defined", _at(shown.defined), ""
        for one in shown.via:
            yield "through", one, ""
        for label, text in (
            ("type", shown.type),
            ("default", shown.default),
            ("settable", shown.settable or shown.unsettable),
        ):
            if text:
                yield label, text, ""
        if shown.signature:
            yield "signature", shown.signature, ""
        if shown.bases:
            yield "bases", ", ".join(shown.bases), ""
        if shown.returns:
            yield "returns", shown.returns, ""
        for place in shown.returns_none:
            yield "None at", _at(place) + _when(place), ""
        if shown.protocol:
            yield "protocol", shown.protocol, ""
        for one in shown.overrides:
            yield "overrides", one, ""
        for place in shown.overridden_by:
            yield (
                "subclass" if shown.kind == "class" else "overridden",
                f"{place.inside}  {place.path}:{place.line}",
                "",
            )
        yield from _resolved(shown)
        for reader in shown.readers:
            branches = f", {reader.branches} decide a branch" if reader.branches else ""
            yield "read by", f"{reader.module} ({reader.reads}{branches})", "bold"
            for place in reader.places:
                yield "", _at(place), ""
        for place in shown.callers:
            yield "called", f"{place.path}:{place.line}  {place.value}", ""
        if shown.more:
            yield "", f"and {shown.more} more (JSON has the counts)", "dim"
        if shown.by_name:
            yield (
                "",
                f"and {_times(shown.by_name)} of that name on objects of another or of no stated class",
                "dim",
            )
        if shown.members:
            yield "members", ", ".join(shown.members), ""
    for entry in shown.history:
        when = entry.first if entry.first == entry.last else f"{entry.first} – {entry.last}"
        yield "history", f"{when}: {entry.shape or 'not there'}", ""


def _times(count: int) -> str:
    return "one call" if count == 1 else f"{count} calls"


def _resolved(shown: Shown) -> Iterator[tuple[str, str, str]]:
    if not shown.resolved_by:
        return
    label = "None means" if shown.default == "None" else "assigned"
    text = (
        f"decided later: {len(shown.resolved_by)} assignments"
        if label == "None means"
        else f"{len(shown.resolved_by)} times"
    )
    yield label, text, ""
    for place in shown.resolved_by:
        yield "", f"= {place.value}  in {place.inside}  {place.path}:{place.line}{_when(place)}", ""


def _when(place: PlaceText) -> str:
    return f"  when {' and '.join(place.conditions)}" if place.conditions else ""


def _at(place: PlaceText) -> str:
    return f"{place.path}:{place.line}  {place.text}"
