"""Tracebacks that other processes left as text in a log or a message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .outcome import Frame, Raised

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+?)\s*$')
_ENDING = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
_SUFFIXES = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Iteration", "Failed", "Timeout")
_START = "Traceback (most recent call last):"


def tracebacks(lines: Iterable[str], place: Callable[[str, int, str], Frame]) -> list[Raised]:
    """Every traceback in the text, in order, also those behind a log's prefix.

    ``place`` makes a frame of a file, a line and a function. A prefix is as wide on each line of one
    traceback as before its first.
    """
    found: list[Raised] = []
    width: int | None = None
    frames: list[Frame] = []
    for line in lines:
        line = line.rstrip("\n")
        start = line.find(_START)
        if start >= 0:
            width, frames = start, []
            continue
        if width is None:
            continue
        frame = _FRAME.search(line)
        if frame:
            frames.append(place(frame["file"], int(frame["line"]), frame["function"]))
            continue
        rest = line[width:]
        ending = _ENDING.match(rest)
        if ending and frames and _is_exception(ending["type"]):
            found.append(Raised(ending["type"], ending["message"] or "", frames))
            width = None
    return found


def _is_exception(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last[:1].isupper() and ("." in name or last.endswith(_SUFFIXES))


def reported(parent: Raised, candidates: list[Raised]) -> Raised | None:
    """The traceback that a parent's exception reports: its message holds the other's message.

    The last one wins, since the parent tells of what made it stop.
    """
    for candidate in reversed(candidates):
        # A traceback through the driver is the parent's own, as it was printed.
        if any(frame.role == "driver" for frame in candidate.frames):
            continue
        if len(candidate.message) > 3 and candidate.message in parent.message:
            return candidate
    return None
