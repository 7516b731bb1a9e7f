"""Applying edits to the bytes of a file: encoding, byte order mark and newlines stay what they are."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Iterable, Sequence

from driftcheck.model import Edit

_NEWLINE = re.compile(r"\r\n|\r|\n")


class EditError(ValueError):
    """Edits that cannot be applied: they overlap, lie outside the file, or the encoding lacks a character."""


def overlap(one: Edit, other: Edit) -> bool:
    """Whether two different edits of a file get in each other's way; insertions at one place do not."""
    if one.path != other.path or one == other:
        return False
    return _start(one) < _end(other) and _start(other) < _end(one)


def clash(ones: Iterable[Edit], others: Sequence[Edit]) -> bool:
    """Whether some edit of the first kind overlaps some edit of the second."""
    return any(overlap(one, other) for one in ones for other in others)


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The file with the edits made; all are of this one file, equal ones count once.

    Insertions at one place follow each other in the order given. Line ends in an edit's text become
    those of the line where it begins. Raises EditError.
    """
    encoding, mark, text = _decoded(data)
    starts = [0, *(match.end() for match in _NEWLINE.finditer(text))]
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (_start(edit), _end(edit)))
    pieces: list[str] = []
    at = 0
    for edit in ordered:
        low, high = _offset(text, starts, *_start(edit)), _offset(text, starts, *_end(edit))
        if low < at or high < low:
            raise EditError(f"{edit.path}:{edit.line}:{edit.column}: edits overlap")
        pieces += [text[at:low], edit.text.replace("\n", _newline(text, starts, edit.line))]
        at = high
    result = "".join([*pieces, text[at:]])
    try:
        return mark + result.encode(encoding)
    except UnicodeEncodeError as error:
        raise EditError(f"the file's encoding {encoding} lacks {error.object[error.start]!r}") from error


def _decoded(data: bytes) -> tuple[str, bytes, str]:
    """The encoding by PEP 263, the byte order mark, and the text with its own line ends."""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        encoding = "utf-8" if mark else encoding
        return encoding, mark, data[len(mark) :].decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise EditError(f"cannot be decoded: {error}") from error


def _start(edit: Edit) -> tuple[int, int]:
    return edit.line, edit.column


def _end(edit: Edit) -> tuple[int, int]:
    return edit.end_line, edit.end_column


def _offset(text: str, starts: list[int], line: int, column: int) -> int:
    if not 1 <= line <= len(starts):
        raise EditError(f"line {line} is outside the file")
    offset = starts[line - 1] + column - 1
    limit = starts[line] if line < len(starts) else len(text)
    if column < 1 or offset > limit:
        raise EditError(f"line {line} has no column {column}")
    return offset


def _newline(text: str, starts: list[int], line: int) -> str:
    """The line end of a line; on a last line without one, that of the line above."""
    for number in (line, line - 1):
        if 1 <= number < len(starts):
            end = text[: starts[number]]
            return "\r\n" if end.endswith("\r\n") else end[-1]
    return "\n"
