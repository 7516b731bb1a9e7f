"""The comments that say what a case expects: ``# drift: DC201 certain introduced "part of message"``."""

from __future__ import annotations

from pathlib import Path
from typing import cast, get_args

from driftcheck.model.finding import Confidence, Status
from driftcheck.rulesdb.errors import RulesError
from driftcheck.rulesdb.frontmatter import is_code

MARKER = "# drift:"
_CONFIDENCES = get_args(Confidence)
_STATUSES = get_args(Status)

Parts = tuple[str, Confidence | None, Status | None, str | None]


def split_expectations(path: Path, fence_line: int, text: str) -> tuple[str, list[tuple[int, Parts]]]:
    """The text without its expectation comments, and for each its line in the text and its parts.

    The parts are code, confidence, status and a part of the message, of which the last three may be
    None. A suppression (``# drift: ignore[…]``) is no expectation and stays. ``fence_line`` is the
    line of ``path`` before the text's first. Raises RulesError.
    """
    lines = text.split("\n")
    found: list[tuple[int, Parts]] = []
    for index, line in enumerate(lines):
        start = line.find(MARKER)
        while start >= 0 and line[start + len(MARKER) :].lstrip().startswith("ignore"):
            start = line.find(MARKER, start + 1)
        if start < 0:
            continue
        at = fence_line + 1 + index
        groups = _groups(path, at, line[start + len(MARKER) :])
        found += [(index + 1, _parts(path, at, words)) for words in groups]
        lines[index] = line[:start].rstrip()
    return "\n".join(lines), found


def _groups(path: Path, line: int, text: str) -> list[list[str]]:
    """The words of each expectation; a quoted message is one word that starts with its quote."""
    groups: list[list[str]] = [[]]
    rest = text.replace(MARKER, ";").strip()
    while rest:
        if rest[0] == ";":
            groups.append([])
            rest = rest[1:]
        elif rest[0] == '"':
            message, quote, after = rest[1:].partition('"')
            if not quote:
                raise RulesError.at(path, line, 'the message has no closing "')
            groups[-1].append('"' + message)
            rest = after
        else:
            end = min((at for at in map(rest.find, (" ", ";", '"')) if at > 0), default=len(rest))
            groups[-1].append(rest[:end])
            rest = rest[end:]
        rest = rest.lstrip()
    return groups


def _parts(path: Path, line: int, words: list[str]) -> Parts:
    if not words or not is_code(words[0]):
        raise RulesError.at(path, line, f"'{MARKER}' wants a code (DC and three digits) first")
    confidence: Confidence | None = None
    status: Status | None = None
    message: str | None = None
    for word in words[1:]:
        if word.startswith('"') and message is None:
            message = word[1:]
        elif word in _CONFIDENCES and confidence is None:
            confidence = cast(Confidence, word)
        elif word in _STATUSES and status is None:
            status = cast(Status, word)
        else:
            allowed = ", ".join((*_CONFIDENCES, *_STATUSES, '"part of the message"'))
            raise RulesError.at(path, line, f"unknown or repeated {word!r}; allowed, each once: {allowed}")
    return words[0], confidence, status, message
