"""File patterns of the configuration: ``*``, ``?``, ``[…]``, and ``**`` for any number of directories."""

from __future__ import annotations

import re
from functools import lru_cache


def matches(pattern: str, *paths: str) -> bool:
    """Whether the pattern matches one of the spellings of a file's path.

    A pattern without ``/`` matches a name anywhere on the path; with one it is read from the root. A
    pattern that matches a directory matches all below it.
    """
    rule = _compiled(pattern)
    return any(rule.fullmatch(path) is not None for path in paths)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.replace("\\", "/").removeprefix("./").strip()
    anywhere = "/" not in text.rstrip("/")
    text = text.strip("/")
    found: list[str] = []
    at = 0
    while at < len(text):
        if text.startswith("**/", at):
            found.append("(?:[^/]+/)*")
            at += 3
        elif text.startswith("**", at):
            found.append(".*")
            at += 2
        else:
            piece, at = _piece(text, at)
            found.append(piece)
    head = "(?:.*/)?" if anywhere else ""
    return re.compile(f"{head}{''.join(found)}(?:/.*)?", re.DOTALL)


def _piece(text: str, at: int) -> tuple[str, int]:
    """One wildcard, class or character as a regular expression, and where the next begins."""
    character = text[at]
    if character == "*":
        return "[^/]*", at + 1
    if character == "?":
        return "[^/]", at + 1
    if character == "[":
        end = text.find("]", at + 2)
        if end > 0:
            inside = text[at + 1 : end].replace("\\", "\\\\")
            negated = inside[:1] in "!^"
            return f"[{'^' if negated else ''}{inside[negated:]}]", end + 1
    return re.escape(character), at + 1
