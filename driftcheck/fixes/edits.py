"""Minimal edits: what differs between a piece of a file and its replacement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from driftcheck.index.source import Source
from driftcheck.model import Edit, Span

_TOKEN = re.compile(r"\w+|\n|[^\S\n]+|[^\w\s]")
_ISLAND = 3
"""Unchanged text shorter than this between two changes is replaced with them: such edits read better."""


def replace_span(path: str, span: Span, text: str) -> Edit:
    """The edit that puts ``text`` in the place of a region."""
    return Edit(path, span.line, span.column, span.end_line, span.end_column, text)


def replace_offsets(source: Source, start: int, end: int, text: str) -> Edit:
    """The edit that puts ``text`` in the place of ``source.text[start:end]``."""
    line, column = position(source, start)
    end_line, end_column = position(source, end)
    return Edit(source.path, line, column, end_line, end_column, text)


def position(source: Source, offset: int) -> tuple[int, int]:
    """Line and code-point column, both from 1, of a character offset."""
    line = source.line_at(offset)
    return line, offset - source.offset(line, 0) + 1


def minimal_edits(source: Source, start: int, old: str, new: str) -> tuple[Edit, ...]:
    """Edits that turn ``old``, which stands at an offset, into ``new``; none where they are equal.

    They are in order, do not touch tokens that stay, and applying all of them gives exactly ``new``.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    return tuple(
        replace_offsets(source, start + low, start + high, text) for low, high, text in _hunks(before, after)
    )


def _hunks(before: list[str], after: list[str]) -> Iterator[tuple[int, int, str]]:
    """Offsets in the old text, and what stands there instead."""
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    middle, wanted = before[head : len(before) - tail], after[head : len(after) - tail]
    base = sum(map(len, before[:head]))
    starts = [base]
    for token in middle:
        starts.append(starts[-1] + len(token))
    pending: tuple[int, int, str] | None = None
    for tag, low, high, first, last in SequenceMatcher(None, middle, wanted, autojunk=False).get_opcodes():
        same = "".join(middle[low:high])
        if tag == "equal":
            if pending is not None and len(same) < _ISLAND and "\n" not in same and high < len(middle):
                pending = (pending[0], starts[high], pending[2] + same)
            elif pending is not None:
                yield pending
                pending = None
            continue
        text = "".join(wanted[first:last])
        pending = (
            (starts[low], starts[high], text)
            if pending is None
            else (pending[0], starts[high], pending[2] + text)
        )
    if pending is not None:
        yield pending


def _shared(one: list[str], other: list[str]) -> int:
    """How many leading tokens two lists have in common."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
