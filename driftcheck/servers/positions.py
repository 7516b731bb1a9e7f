"""From driftcheck's positions (lines and code points from 1) to an editor's, and back."""

from __future__ import annotations

from typing import Protocol

from lsprotocol import types

from driftcheck.engine.lines import SourceLines


class Region(Protocol):
    """A finding or an edit."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_column(self) -> int: ...


class Positions:
    """Positions in files as they were checked; ``encoding`` says what the editor counts in a line."""

    def __init__(self, lines: SourceLines, encoding: types.PositionEncodingKind | str | None) -> None:
        self._lines = lines
        self._encoding = str(getattr(encoding, "value", encoding) or "utf-16")

    def range(self, path: str, region: Region) -> types.Range:
        start = self._position(path, region.line, region.column)
        return types.Range(start, self._position(path, region.end_line, region.end_column))

    def line(self, path: str, number: int) -> types.Range:
        """A whole line."""
        return types.Range(types.Position(number - 1, 0), self.end_of_line(path, number))

    def end_of_line(self, path: str, number: int) -> types.Position:
        return self._position(path, number, len(self._text(path, number)) + 1)

    def place(self, path: str, position: types.Position) -> tuple[int, int]:
        """Line and column, from 1, of an editor's position."""
        text = self._text(path, position.line + 1)
        units = 0
        for index, character in enumerate(text):
            if units >= position.character:
                return position.line + 1, index + 1
            units += self._width(character)
        return position.line + 1, len(text) + 1

    def _position(self, path: str, line: int, column: int) -> types.Position:
        before = self._text(path, line)[: column - 1]
        return types.Position(line - 1, sum(map(self._width, before)))

    def _text(self, path: str, line: int) -> str:
        return self._lines.line(path, line) or ""

    def _width(self, character: str) -> int:
        if character.isascii() or self._encoding == "utf-32":
            return 1
        if self._encoding == "utf-8":
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if ord(character) > 0xFFFF else 1
