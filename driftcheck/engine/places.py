"""From a finding's path to the file on disk, and to its path in the repository around it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from driftcheck.sources.payload import package_digest
from driftcheck.sources.tree import Tree


class Places:
    """The files of one run's consumers; ``extra`` are further files that findings may be about."""

    def __init__(self, consumers: Sequence[Tree], extra: dict[str, Path] | None = None) -> None:
        self._consumers = list(consumers)
        self._extra = dict(extra or {})
        self._roots: dict[Path, Path | None] = {}

    def add(self, shown: str, place: Path) -> None:
        """A further file that findings may be about, and how they spell its path."""
        self._extra[shown] = place

    def locate(self, path: str) -> Path | None:
        """The file on disk that a user may edit; None where there is none (a release, memory)."""
        if path in self._extra:
            return self._extra[path]
        for tree in self._consumers:
            place = None if tree.immutable else tree.locate(path)
            if place is not None:
                return place
        for tree in self._consumers:
            beside = Path(tree.spec).expanduser() / path
            if not tree.immutable and beside.is_file():
                return beside.absolute()
        return None

    def origin(self, path: str) -> Path | None:
        """The file on disk that a consumer's bytes come from, editable or not (a release in the cache)."""
        found = (tree.locate(path) for tree in self._consumers)
        return next((place for place in found if place is not None), None)

    def files(self) -> Iterator[tuple[str, Path]]:
        """Every Python file that was checked and lies on disk: its path, and its place."""
        for tree in self._consumers:
            for path in tree.python_files:
                place = tree.locate(path)
                if place is not None:
                    yield path, place

    def digest(self, path: str) -> str:
        """What identifies the content of the consumer that a file is of; empty where it cannot be read."""
        return next((_digest(tree) for tree in self._consumers if path in tree.python_files), "")

    def digests(self) -> set[str]:
        """The same of every consumer."""
        return {_digest(tree) for tree in self._consumers} - {""}

    def read(self, path: str) -> bytes:
        """A consumer file's bytes. Raises OSError."""
        for tree in self._consumers:
            try:
                return tree.read(path)
            except OSError:
                continue
        place = self.locate(path)
        if place is None:
            raise FileNotFoundError(path)
        return place.read_bytes()

    def in_repository(self, path: str) -> str:
        """The path from the root of the checkout that the file is in; else from here, else as it is."""
        place = self.locate(path)
        if place is None:
            return path
        place = Path(os.path.abspath(place))
        root = self._root(place.parent) or Path.cwd()
        return place.relative_to(root).as_posix() if place.is_relative_to(root) else path

    def _root(self, directory: Path) -> Path | None:
        if directory not in self._roots:
            found = next((one for one in (directory, *directory.parents) if (one / ".git").exists()), None)
            self._roots[directory] = found
        return self._roots[directory]


def _digest(tree: Tree) -> str:
    try:
        return package_digest(tree)
    except OSError:
        return ""
