"""The consumer line that a finding is about, and the caret under its anchor."""

from __future__ import annotations

from collections.abc import Callable

from driftcheck.engine.lines import SourceLines
from driftcheck.model import Finding
from driftcheck.report.escape import visible

__all__ = ["SourceLines", "frame"]

_ELLIPSIS = "…"


def frame(line: str, finding: Finding, room: int | None, cells: Callable[[str], int]) -> tuple[str, int, int]:
    """The line as shown, where the carets start in it, and how many there are, in terminal cells.

    ``room`` is how many cells there are; a longer line is cut so that the anchor stays in sight.
    ``cells`` gives the width of a text.
    """
    one_line = finding.end_line == finding.line
    stop = min(finding.end_column - 1, len(line)) if one_line else len(line.rstrip())
    start = min(finding.column - 1, len(line))
    stop = max(start, stop)
    before, anchor, after = visible(line[:start]), visible(line[start:stop]), visible(line[stop:])
    indent = len(before) - len(before.lstrip())
    before = before[indent:]
    if room is not None and cells(before + anchor + after) > room:
        before, anchor, after = _cut(before, anchor, after, max(room, 20), cells)
    return (before + anchor + after).rstrip(), cells(before), max(1, cells(anchor))


def _cut(
    before: str, anchor: str, after: str, room: int, cells: Callable[[str], int]
) -> tuple[str, str, str]:
    if cells(anchor) > room - 8:
        anchor = _head(anchor, room - 8, cells) + _ELLIPSIS
        after = ""
    left = room - cells(anchor)
    if cells(before) > left // 2:
        keep = max(left // 2, left - cells(after)) - 1
        if cells(before) > keep:
            before = _ELLIPSIS + _head(before[::-1], max(keep, 0), cells)[::-1]
    left -= cells(before)
    if cells(after) > left:
        after = _head(after, max(left - 1, 0), cells) + _ELLIPSIS
    return before, anchor, after


def _head(text: str, room: int, cells: Callable[[str], int]) -> str:
    """As many first characters as there is room for."""
    used = 0
    for index, character in enumerate(text):
        used += cells(character)
        if used > room:
            return text[:index]
    return text
