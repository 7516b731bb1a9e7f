"""Edits applied to source text, and what became of its lines."""

from __future__ import annotations

import codecs
import io
import tokenize
from bisect import bisect_right
from collections.abc import Iterable

from .plan import Edit


class EditConflict(ValueError):
    """Two edits want the same characters, or one lies outside the file."""


def decoded(data: bytes) -> tuple[str, str]:
    """The text of a source file and its encoding, by its own declaration; line ends stay what they are.

    Raises EditConflict where it cannot be decoded.
    """
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        # A byte order mark is no character that an edit counts.
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise EditConflict(f"cannot be decoded: {error}") from error


def edited(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file with every edit made; raises EditConflict."""
    text, encoding = decoded(data)
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        return mark + apply_edits(text, edits).encode("utf-8" if mark else encoding)
    except UnicodeEncodeError as error:
        raise EditConflict(f"its encoding {encoding} lacks {error.object[error.start]!r}") from error


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; an edit that several fixes share is made once.

    Raises EditConflict where two overlap or one lies outside the text.
    """
    starts = _line_starts(text)
    result, at = [], 0
    for begin, end, new in _spans(text, starts, edits):
        if begin < at:
            raise EditConflict("two edits overlap")
        result += [text[at:begin], new]
        at = end
    return "".join([*result, text[at:]])


def original_line(text: str, edits: Iterable[Edit], line: int) -> int:
    """The line of ``text`` that a line of the edited text came from (lines count from 1)."""
    starts = _line_starts(text)
    shift = 0
    for begin, end, new in _spans(text, starts, edits):
        first = bisect_right(starts, begin)
        removed, added = text.count("\n", begin, end), new.count("\n")
        # Where whole lines go without a trace, what follows them stands on their first line.
        vanished = not new and begin == starts[first - 1] and removed
        if line < first + shift or (line == first + shift and not vanished):
            break
        if line <= first + shift + added and not vanished:
            return min(first + removed, line - shift)
        shift += added - removed
    return line - shift


def edited_line(text: str, edits: Iterable[Edit], line: int) -> int:
    """Where a line of ``text`` begins in the edited text."""
    starts = _line_starts(text)
    shift = 0
    for begin, end, new in _spans(text, starts, edits):
        if end > starts[min(line, len(starts)) - 1]:
            break
        shift += new.count("\n") - text.count("\n", begin, end)
    return line + shift


def _line_starts(text: str) -> list[int]:
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _spans(text: str, starts: list[int], edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    found: dict[tuple[int, int, str], None] = {}
    for edit in edits:
        begin = _offset(text, starts, edit.line, edit.column)
        end = _offset(text, starts, edit.end_line, edit.end_column)
        if end < begin:
            raise EditConflict(f"{edit.path}:{edit.line}: an edit ends before it begins")
        found[begin, end, edit.text] = None
    return sorted(found, key=lambda span: span[:2])


def _offset(text: str, starts: list[int], line: int, column: int) -> int:
    if not 1 <= line <= len(starts):
        raise EditConflict(f"line {line} is not in the file")
    offset = starts[line - 1] + column - 1
    if column < 1 or offset > len(text):
        raise EditConflict(f"line {line} has no column {column}")
    return offset
