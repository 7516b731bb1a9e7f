"""A tree that remembers what was asked of it, so that a later run can tell whether an answer still holds.

What was looked for and not found counts as much as what was read: a listing or a missing file that
changes may shadow a module, add one, or take one away.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from driftcheck.engine.code_lines import CodeLines, LineMap, code_lines
from driftcheck.sources.tree import Files, Overlay, Tree

Stat = tuple[int, int, int, int]
"""Size, modification and change time in nanoseconds, and inode."""

ABSENT = b""
_RACY = 2_000_000_000
"""A file changed less than this many nanoseconds ago may change again within one tick of its clock."""


class Searched(msgspec.Struct, frozen=True, array_like=True):
    """A file of which only certain bytes were looked for: which of ``Asked.needles`` it has, and which not."""

    stat: Stat | None
    content: bytes
    has: tuple[int, ...]
    lacks: tuple[int, ...]


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """What was asked of one tree: files with their stat and digest, listings, and the list of all paths.

    ``searched`` are files that were not read for what they say; an edit that changes none of those answers
    changes nothing. ``code`` are the lines of code of files that were read: where only comments and blank
    lines differ, an answer holds with other line numbers.
    """

    reads: dict[str, tuple[Stat | None, bytes]]
    listings: dict[str, bytes]
    paths: bytes | None
    needles: list[bytes]
    searched: dict[str, Searched]
    code: dict[str, CodeLines]


class Recorder:
    """Files that keep a record of every question."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._reads: dict[str, tuple[Stat | None, bytes]] = {}
        self._listings: dict[str, bytes] = {}
        self._paths: bytes | None = None
        self._glanced: dict[str, tuple[Stat | None, bytes]] = {}
        self._answers: dict[str, dict[bytes, bool]] = {}

    def read(self, path: str) -> bytes:
        try:
            stat, data = self._looked_at(path)
        except OSError:
            self._reads[path] = (None, ABSENT)
            raise
        self._reads[path] = (stat, digest(data))
        return data

    def contains(self, path: str, needle: bytes) -> bool:
        """Whether a file has certain bytes, which is all that is asked of it; raises OSError."""
        if path in self._reads:
            return needle in self._files.read(path)
        if path not in self._glanced:
            try:
                self._glanced[path] = self._looked_at(path)
            except OSError:
                self._reads[path] = (None, ABSENT)
                raise
        found = needle in self._glanced[path][1]
        self._answers.setdefault(path, {})[needle] = found
        return found

    def _looked_at(self, path: str) -> tuple[Stat | None, bytes]:
        """A file's bytes with their stat, if it tells that they are still the same later."""
        if path in self._glanced:
            return self._glanced[path]
        before = _stat(self._files, path)
        data = self._files.read(path)
        stable = before is not None and before == _stat(self._files, path) and not _is_racy(before)
        return before if stable else None, data

    def listdir(self, path: str) -> frozenset[str]:
        names = self._files.listdir(path)
        if path not in self._listings:
            self._listings[path] = _names_digest(names)
        return names

    def paths(self) -> Iterable[str]:
        found = tuple(self._files.paths())
        self._paths = _names_digest(found)
        return found

    def locate(self, path: str) -> Path | None:
        find = getattr(self._files, "locate", None)
        return None if find is None else find(path)

    def asked(self, by_lines: bool = False) -> Asked:
        """The record so far; ``by_lines``: such that answers can be carried over to other line numbers."""
        needles = sorted({needle for answers in self._answers.values() for needle in answers})
        number = {needle: n for n, needle in enumerate(needles)}
        searched = {}
        for path, answers in self._answers.items():
            if path not in self._reads:
                stat, data = self._glanced[path]
                has = tuple(number[needle] for needle, found in answers.items() if found)
                lacks = tuple(number[needle] for needle, found in answers.items() if not found)
                searched[path] = Searched(stat, digest(data), has, lacks)
        code = self._code() if by_lines else {}
        return Asked(dict(self._reads), dict(self._listings), self._paths, needles, searched, code)

    def _code(self) -> dict[str, CodeLines]:
        found: dict[str, CodeLines] = {}
        for path, (_, content) in self._reads.items():
            if path.endswith(".py") and content != ABSENT:
                with suppress(OSError):
                    data = self._files.read(path)
                    lines = code_lines(data) if digest(data) == content else None
                    if lines is not None:
                        found[path] = lines
        return found


def recorded(tree: Tree) -> tuple[Tree, Recorder | None]:
    """The tree with a recorder; a released tree as it is, since its key names its content."""
    if tree.immutable:
        return tree, None
    recorder = Recorder(tree.files)
    return replace(tree, files=recorder), recorder


def changes(asked: Asked, files: Files) -> dict[str, LineMap] | None:
    """The files in which only comments and blank lines differ; None where some answer is another one now.

    Files are compared by stat, and by content on any difference.
    """
    for path, names in asked.listings.items():
        if _names_digest(files.listdir(path)) != names:
            return None
    if asked.paths is not None and _names_digest(files.paths()) != asked.paths:
        return None
    if not all(_same_search(asked.needles, files, path, one) for path, one in asked.searched.items()):
        return None
    maps: dict[str, LineMap] = {}
    for path, (stat, content) in asked.reads.items():
        if not _same(files, path, stat, content):
            found = _same_code(asked, files, path)
            if found is None:
                return None
            maps[path] = found
    return maps


def _same_code(asked: Asked, files: Files, path: str) -> LineMap | None:
    old = asked.code.get(path)
    if old is None:
        return None
    try:
        new = code_lines(files.read(path))
    except OSError:
        return None
    return LineMap(old, new) if new is not None and new.digest == old.digest else None


def digest(data: bytes) -> bytes:
    """What stands for a file's content; never ABSENT."""
    return hashlib.blake2b(data, digest_size=16).digest()


def _same(files: Files, path: str, stat: Stat | None, content: bytes) -> bool:
    if stat is not None and stat == _stat(files, path):
        return True
    try:
        return digest(files.read(path)) == content
    except OSError:
        return content == ABSENT


def _same_search(needles: list[bytes], files: Files, path: str, searched: Searched) -> bool:
    if _same(files, path, searched.stat, searched.content):
        return True
    try:
        data = files.read(path)
    except OSError:
        return False
    return all(needles[n] in data for n in searched.has) and not any(
        needles[n] in data for n in searched.lacks
    )


def _stat(files: Files, path: str) -> Stat | None:
    if isinstance(files, Overlay):
        return None  # what is on disk says nothing of what lies over it
    find = getattr(files, "locate", None)
    place = None if find is None else find(path)
    if place is None:
        return None
    try:
        found = os.stat(place)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _is_racy(stat: Stat) -> bool:
    return max(stat[1], stat[2]) > time.time_ns() - _RACY


def _names_digest(names: Iterable[str]) -> bytes:
    return digest("\0".join(sorted(names)).encode("utf-8", "surrogateescape"))
