"""The consumer line that a finding is about, and the caret under its anchor."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable

from driftcheck.model import Finding
from driftcheck.report.escape import visible

_ELLIPSIS = "…"


class SourceLines:
    """Consumer files as lines of text, each read once; None where a file cannot be read."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._files: dict[str, list[str] | None] = {}

    def line(self, path: str, number: int) -> str | None:
        """The line, counted from 1, without its end."""
        if path not in self._files:
            self._files[path] = self._load(path)
        lines = self._files[path]
        return lines[number - 1] if lines is not None and 0 < number <= len(lines) else None

    def _load(self, path: str) -> list[str] | None:
        try:
            data = self._read(path)
        except OSError:
            return None
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding, "replace")
        except (SyntaxError, LookupError):
            text = data.decode("utf-8", "replace")
        # Not splitlines(): that also breaks at form feeds and other characters that Python does not.
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


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
