"""File patterns of the configuration: ``*``, ``?``, ``[…]``, and ``**`` for any number of directories.

A pattern is taken part by part and never becomes one regular expression as a whole: with several ``**`` or
``*`` that would try every way of sharing out a long path.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache


def matches(pattern: str, *paths: str) -> bool:
    """Whether the pattern matches one of the spellings of a file's path.

    A pattern without ``/`` matches a name anywhere on the path; with one it is read from the root. A
    pattern that matches a directory matches all below it.
    """
    parts = _parts(pattern)
    return any(_match(parts, tuple(path.split("/"))) for path in paths)


@lru_cache(maxsize=512)
def _parts(pattern: str) -> tuple[str, ...]:
    """A pattern's parts, from the root of the tree."""
    text = pattern.replace("\\", "/").removeprefix("./").strip()
    anywhere = "/" not in text.rstrip("/")
    found = ["**"] if anywhere else []
    for part in text.strip("/").split("/"):
        if part != "**" or found[-1:] != ["**"]:
            found.append(part.replace("[^", "[!"))
    return tuple(found)


def _match(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether all parts match the first names: those that may come next are known after every part."""
    ends = {0}
    for part in parts:
        if part == "**":
            ends = set(range(min(ends), len(names) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(names) and fnmatchcase(names[end], part)}
        if not ends:
            return False
    return True
