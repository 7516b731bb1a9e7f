"""An edits file: fixes that a user brings, as JSON.

``{"fixes": [{"id", "description", "claims": [{"code", "path", "line"}], "instead-of", "edits": [...]}]}``.
An edit replaces a region (``line``, ``column``, ``end-line``, ``end-column``, ``text``), or the text ``old``
that begins on ``line`` by ``new``. With ``with-analysis`` the fixes come beside those of the analysis.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from driftcheck.validate.errors import ValidateError
from driftcheck.validate.portable.plan import Edit

Read = Callable[[str], bytes]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    pass


class EditEntry(_Strict):
    """One change of one file, by region or by its old text."""

    path: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    text: str | None = None
    old: str | None = None
    new: str | None = None


class ClaimEntry(_Strict):
    """The finding that a fix answers; ``symbol``, ``message`` and ``related`` serve where there is none."""

    code: str
    path: str
    line: int
    symbol: str = ""
    message: str = ""
    related: list[int] = []


class FixEntry(_Strict):
    """One fix. ``instead_of`` names the fix it could stand in for."""

    id: str
    description: str
    edits: list[EditEntry]
    claims: list[ClaimEntry] = []
    instead_of: str | None = None


class EditsFile(_Strict):
    """The whole file."""

    fixes: list[FixEntry]
    about: str = ""
    with_analysis: bool = False


def load_edits(path: Path) -> EditsFile:
    """The file decoded; raises ValidateError where it is not one."""
    try:
        loaded = msgspec.json.decode(path.read_bytes(), type=EditsFile)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise ValidateError(f"{path}: {error}") from error
    names = [fix.id for fix in loaded.fixes]
    if len(set(names)) != len(names):
        raise ValidateError(f"{path}: two fixes have the same id")
    if any(" " in name for name in names):
        raise ValidateError(f"{path}: an id must not hold a space")
    return loaded


def resolve_edit(entry: EditEntry, read: Read) -> Edit:
    """The edit as a region of the consumer's file; raises ValidateError where it does not fit."""
    where = f"{entry.path}:{entry.line}"
    try:
        text = read(entry.path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValidateError(f"{where}: the consumer has no such file to edit") from error
    if entry.old is None or entry.new is None:
        region = (entry.column, entry.end_line, entry.end_column, entry.text)
        if any(part is None for part in region):
            raise ValidateError(
                f"{where}: an edit needs old and new, or column, end-line, end-column and text"
            )
        column, end_line, end_column, new = region
        return Edit(entry.path, entry.line, column or 1, end_line or 1, end_column or 1, new or "")
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: entry.line - 1]))
    begin = text.find(entry.old, start)
    if begin < 0 or text.count("\n", start, begin):
        raise ValidateError(f"{where}: that line does not hold {entry.old.splitlines()[0]!r}")
    end = begin + len(entry.old)
    return Edit(entry.path, *_position(text, begin), *_position(text, end), entry.new)


def _position(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1
