"""Which lines of a file are code, so that two versions of it can be told to differ in nothing else."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right

import msgspec

from driftcheck.index.outline import OPAQUE

_COOKIE = re.compile(rb"coding[:=]")


class CodeLines(msgspec.Struct, frozen=True, array_like=True):
    """A file's lines of code: a digest of them in order, and where each starts and how far it reaches."""

    digest: bytes
    starts: list[int]
    lengths: list[int]


def code_lines(data: bytes) -> CodeLines | None:
    """The lines that are no comment and not blank; None for what is no UTF-8, or names its encoding.

    A string or a continuation over several lines counts as part of the line that it starts on.
    """
    if _COOKIE.search(b"\n".join(data.split(b"\n", 2)[:2])):
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    starts, lengths, kept = [], [], []
    number = 1
    for line in OPAQUE.sub(_joined, text).split("\n"):
        length = line.count("\0") + 1
        if line.strip():
            starts.append(number)
            lengths.append(length)
            kept.append(line.rstrip())
        number += length
    return CodeLines(hashlib.blake2b("\n".join(kept).encode(), digest_size=16).digest(), starts, lengths)


def _joined(match: re.Match[str]) -> str:
    found = match.group()
    return "" if found[0] == "#" else found.replace("\n", "\0")


class LineMap:
    """From the line numbers that a file had to those that it has."""

    def __init__(self, old: CodeLines, new: CodeLines) -> None:
        self._old, self._new = old, new

    def line(self, number: int) -> int:
        """The line's number now; raises LookupError for one that was no line of code."""
        at = bisect_right(self._old.starts, number) - 1
        if at < 0 or number >= self._old.starts[at] + self._old.lengths[at]:
            raise LookupError(number)
        return self._new.starts[at] + number - self._old.starts[at]

    def place(self, number: int, column: int) -> int:
        """As ``line``; the start of a line that was no code may be the end of the code before it."""
        try:
            return self.line(number)
        except LookupError:
            if column != 1:
                raise
            return self.line(number - 1) + 1
