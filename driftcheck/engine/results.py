"""The result cache: what a check found, kept until anything that it asked would be answered otherwise.

An entry is one file, written whole under a temporary name and renamed, with a digest of itself in
front: one that is damaged, cut short or of another version of driftcheck is as good as absent. Nothing
heavy is imported here: a run that finds its answer imports no parser.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from driftcheck import __version__
from driftcheck.engine.code_lines import LineMap
from driftcheck.engine.comments import Suppression
from driftcheck.engine.recording import Asked
from driftcheck.model import Report
from driftcheck.sources.cache import cache_root
from driftcheck.sources.tree import Tree

MAGIC = b"driftcheck result 2\n"
MAX_ENTRIES = 400
_PACKAGE = Path(__file__).resolve().parent.parent


class Examined(msgspec.Struct, frozen=True):
    """What a check of one consumer against one provider showed, before any wish is applied.

    ``files`` counts the consumer's Python files, ``unreadable`` those of them that could not be read.
    """

    report: Report
    comments: list[Suppression]
    files: int
    unreadable: int


T = TypeVar("T")


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    key: bytes
    asked: list[Asked | None]
    answer: msgspec.Raw


class ResultCache:
    """Entries below ``root`` (default: driftcheck's cache directory)."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = (cache_root() if root is None else root) / "results"

    def load(
        self,
        key: bytes,
        trees: Iterable[Tree | None],
        kind: type[T],
        moved: Callable[[T, Mapping[str, LineMap]], T | None] | None = None,
    ) -> T | None:
        """The answer of a kind kept under a key, if what it asked of the trees is answered as it was then.

        ``moved`` carries an answer over to the lines that the first tree's files have now, where nothing
        but comments and blank lines changed there; without it such an answer is not taken.
        """
        from driftcheck.engine.recording import changes

        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        entry = _decoded(data)
        if entry is None or entry.key != key:
            return None
        maps: dict[str, LineMap] = {}
        for asked, tree in zip(entry.asked, trees, strict=False):
            found = {} if asked is None else None if tree is None else changes(asked, tree.files)
            if found is None or (found and moved is None):
                return None
            maps |= found
        with suppress(OSError):
            os.utime(path)  # the oldest by use goes first
        try:
            answer = msgspec.msgpack.decode(entry.answer, type=kind)
        except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
            return None
        return moved(answer, maps) if maps and moved is not None else answer

    def store(self, key: bytes, asked: list[Asked | None], answer: msgspec.Struct) -> None:
        """Keep an answer; a disk that does not allow it only means working again."""
        try:
            kept = msgspec.Raw(msgspec.msgpack.encode(answer))
            body = msgspec.msgpack.encode(_Entry(key, asked, kept))
        except UnicodeEncodeError:
            return  # a file name that is no Unicode: such answers are not kept
        data = MAGIC + hashlib.blake2b(body, digest_size=32).digest() + body
        with suppress(OSError):
            self.root.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=self.root)
            try:
                with open(handle, "wb") as file:
                    file.write(data)
                os.replace(temporary, self._path(key))
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise
            self._prune()

    def _path(self, key: bytes) -> Path:
        return self.root / f"{key.hex()}.result"

    def _prune(self) -> None:
        entries = [(entry.stat().st_mtime, entry.path) for entry in os.scandir(self.root) if entry.is_file()]
        for _, path in sorted(entries)[: max(len(entries) - MAX_ENTRIES, 0)]:
            with suppress(OSError):
                os.unlink(path)


def _decoded(data: bytes) -> _Entry | None:
    head, body = data[: len(MAGIC)], data[len(MAGIC) + 32 :]
    if head != MAGIC or hashlib.blake2b(body, digest_size=32).digest() != data[len(MAGIC) : len(MAGIC) + 32]:
        return None
    try:
        return msgspec.msgpack.decode(body, type=_Entry)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return None


def result_key(
    consumer: Tree, target: Tree, known_good: Tree | None, options: Iterable[object], rules: Iterable[Path]
) -> bytes:
    """What an answer depends on that is known before anything is read.

    The trees' identities and metadata, the options, the rules, driftcheck itself and the Python that
    runs it. Rules and driftcheck enter by their files' sizes and times.
    """
    sides = [None if tree is None else _identity(tree) for tree in (consumer, target, known_good)]
    parts = [
        __version__,
        sys.version,
        sys.platform,
        sides,
        [str(option) for option in options],
        _files_digest(_PACKAGE, ".py"),
        [_files_digest(root, "") for root in rules],
    ]
    text = repr(parts).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=20).digest()


def _identity(tree: Tree) -> list[object]:
    points = {group: dict(entries) for group, entries in tree.entry_points.items()}
    return [
        tree.spec,
        tree.key,
        tree.root,
        tree.name,
        tree.version,
        list(tree.packages),
        list(tree.requires),
        sorted((group, sorted(entries.items())) for group, entries in points.items()),
        list(tree.only),
        tree.immutable,
    ]


def _files_digest(root: Path, suffix: str) -> str:
    """The names, sizes and times of the files below a directory."""
    found: list[str] = []
    pending = [str(root)]
    while pending:
        directory = pending.pop()
        with suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__":
                        pending.append(entry.path)
                elif entry.name.endswith(suffix):
                    stat = entry.stat()
                    found.append(f"{entry.path} {stat.st_size} {stat.st_mtime_ns}")
    return hashlib.blake2b("\n".join(sorted(found)).encode("utf-8", "surrogateescape")).hexdigest()
