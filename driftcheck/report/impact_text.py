"""An impact for a terminal."""

from __future__ import annotations

from driftcheck.queries.impact import Impact
from driftcheck.report.escape import visible
from driftcheck.report.style import Line, paint, wrap

DEFAULT_WIDTH = 120
MAX_PLACES = 6


def render(impact: Impact, width: int | None = None, color: bool = False) -> str:
    """Consumers with their counts, then the changes that break them, by reach."""
    room = width or DEFAULT_WIDTH
    hit = sum(bool(one.breaks or one.risks) for one in impact.consumers)
    lines: list[Line] = [
        [
            (
                f"{impact.provider} {impact.first} to {impact.last}: "
                f"{hit} of {len(impact.consumers)} consumers are hit",
                "bold",
            )
        ],
        [],
    ]
    label = max((len(one.spec) for one in impact.consumers), default=0)
    for one in impact.consumers:
        if one.error is not None:
            lines += wrap(
                [(f"{visible(one.spec):<{label}}  ", ""), (f"not checked: {visible(one.error)}", "yellow")],
                room,
            )
            continue
        style = "bold red" if one.breaks else "bold yellow" if one.risks else "dim"
        lines.append(
            [
                (f"{visible(one.spec):<{label}}  ", ""),
                (f"{one.breaks} breaks, {one.risks} risks", style),
                (f"  of {one.uses} uses", "dim"),
            ]
        )
    lines.append([])
    for change in impact.changes:
        style = "bold red" if change.severity == "error" else "bold yellow"
        reach = f"{change.reach} consumer{'s' if change.reach != 1 else ''}"
        lines += wrap(
            [
                (f"{change.code} {visible(change.symbol)}", style),
                (f"  {reach}, {len(change.places)} uses", "dim"),
            ],
            room,
        )
        lines += wrap([(f"  {visible(change.message)}", "")], room)
        lines += [[(f"    {visible(place)}", "dim")] for place in change.places[:MAX_PLACES]]
        if len(change.places) > MAX_PLACES:
            lines.append([(f"    and {len(change.places) - MAX_PLACES} more", "dim")])
    return "".join(paint(line, color) + "\n" for line in lines)
