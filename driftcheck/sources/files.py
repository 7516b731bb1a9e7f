"""The kinds of files that a tree may read: in memory, listed, on disk, mounted, laid over others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from driftcheck.sources.errors import SourceError

if TYPE_CHECKING:
    from driftcheck.sources.tree import Files


class _Listing:
    """Directory listings made from file paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._names: dict[str, set[str]] = {}
        for path in paths:
            parent, _, name = path.rpartition("/")
            names = self._names.get(parent)
            if names is not None:
                names.add(name)
                continue
            self._names[parent] = {name}
            while parent:
                head, _, directory = parent.rpartition("/")
                known = head in self._names
                self._names.setdefault(head, set()).add(directory + "/")
                if known:
                    break
                parent = head

    def listdir(self, path: str) -> frozenset[str]:
        return frozenset(self._names.get(path, ()))


class MemoryFiles:
    """Files held in a mapping from path to bytes."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = dict(contents)
        self._listing = _Listing(self._contents)

    def read(self, path: str) -> bytes:
        try:
            return self._contents[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    def listdir(self, path: str) -> frozenset[str]:
        return self._listing.listdir(path)

    def paths(self) -> Iterable[str]:
        return sorted(self._contents)


class Overlay:
    """Files laid over other files; the upper layer wins."""

    def __init__(self, below: Files, changed: Mapping[str, bytes]) -> None:
        self._below = below
        self._upper = MemoryFiles(changed)

    def read(self, path: str) -> bytes:
        try:
            return self._upper.read(path)
        except FileNotFoundError:
            return self._below.read(path)

    def listdir(self, path: str) -> frozenset[str]:
        return self._upper.listdir(path) | self._below.listdir(path)

    def paths(self) -> Iterable[str]:
        return sorted({*self._upper.paths(), *self._below.paths()})

    def locate(self, path: str) -> Path | None:
        find = getattr(self._below, "locate", None)
        return None if find is None else find(path)


class ListedFiles:
    """Files below a directory whose paths are known beforehand, so that nothing is scanned.

    `sizes` maps each path to its size in bytes, or None where that is not known. A file that has
    gone or changed its size since raises SourceError, with `damaged` as its message, after `gone`
    was called.
    """

    def __init__(
        self,
        root: Path,
        sizes: Mapping[str, int | None] | Mapping[str, int],
        damaged: str = "",
        gone: Callable[[], None] | None = None,
    ) -> None:
        self._root = str(root)
        self._sizes: Mapping[str, int | None] = dict(sizes)
        self._gone = gone
        self._damaged = damaged or f"files below {root} changed while they were read; run again"
        self._listing: _Listing | None = None

    def read(self, path: str) -> bytes:
        if path not in self._sizes:
            raise FileNotFoundError(path)
        try:
            with open(f"{self._root}/{path}", "rb") as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            raise self._damage() from None
        size = self._sizes[path]
        if size is not None and size != len(data):
            raise self._damage()
        return data

    def _damage(self) -> SourceError:
        if self._gone is not None:
            self._gone()
        return SourceError(self._damaged)

    def listdir(self, path: str) -> frozenset[str]:
        if self._listing is None:
            self._listing = _Listing(self._sizes)
        return self._listing.listdir(path)

    def paths(self) -> Iterable[str]:
        return sorted(self._sizes)

    def locate(self, path: str) -> Path | None:
        return Path(self._root, path) if path in self._sizes else None


class _DiskFiles:
    """What directories and mounts share: cached listings, and reading only what is listed.

    Symbolic links are followed only while they stay inside the root, so that a loop or a link out
    can neither hang nor leak. `links_out` also follows links to files anywhere, and top-level
    links to directories: installers may link an environment's files to a store. Directories that
    no import can name (``.git``, ``__pycache__``, names that are no identifiers) are passed over.
    """

    def __init__(self, links_out: bool) -> None:
        self._links_out = links_out
        self._cache: dict[str, dict[str, str]] = {}
        self._linked: set[str] = set()

    def _scan(self, path: str) -> dict[str, str]:
        """Names in a directory, directories with a trailing ``/``, with the place of each on disk."""
        raise NotImplementedError

    def _names(self, path: str) -> Mapping[str, str]:
        found = self._cache.get(path)
        if found is None:
            head, _, name = path.rpartition("/")
            hidden = path != "" and name + "/" not in self._names(head)
            found = self._cache[path] = {} if hidden else self._scan(path)
        return found

    def _place(self, path: str) -> str | None:
        head, _, name = path.rpartition("/")
        return self._names(head).get(name)

    def read(self, path: str) -> bytes:
        place = self._place(path)
        if place is None:
            raise FileNotFoundError(path)
        with open(place, "rb") as file:
            return file.read()

    def listdir(self, path: str) -> frozenset[str]:
        return frozenset(self._names(path))

    def paths(self) -> Iterable[str]:
        found: list[str] = []
        pending = [""]
        while pending:
            directory = pending.pop()
            for name in self._names(directory):
                path = f"{directory}/{name}" if directory else name
                if name.endswith("/"):
                    pending.append(path[:-1])
                else:
                    found.append(path)
        return sorted(found)

    def locate(self, path: str) -> Path | None:
        place = self._place(path)
        return None if place is None else Path(place)

    def _entries(self, directory: str, base: str, top: bool) -> Iterator[tuple[str, str]]:
        """(name, place on disk) of a directory's entries that may be followed."""
        try:
            with os.scandir(directory) as scan:
                entries = list(scan)
        except OSError:
            return
        linked = directory in self._linked
        for entry in entries:
            name, is_link = entry.name, entry.is_symlink()
            if is_link and not self._may_follow(entry.path, base, top):
                continue
            try:
                if entry.is_dir():
                    if linked and is_link:
                        continue  # links behind links would multiply without end
                    if linked or is_link:
                        self._linked.add(entry.path)
                    if name.isidentifier() and name != "__pycache__":
                        yield name + "/", entry.path
                elif entry.is_file():  # a pipe or a device would block whoever reads it
                    yield name, entry.path
            except OSError:
                continue

    def _may_follow(self, link: str, base: str, top: bool) -> bool:
        try:
            target = os.path.realpath(link, strict=True)
        except (OSError, ValueError):
            return False
        is_dir = os.path.isdir(target)
        if is_dir and _inside(os.path.realpath(os.path.dirname(link)), target):
            return False
        if self._links_out and (top or not is_dir):
            return True
        return _inside(target, base)


def _inside(path: str, base: str) -> bool:
    return path == base or path.startswith(base.rstrip(os.sep) + os.sep)


class DirectoryFiles(_DiskFiles):
    """The importable files below one or more directories, some of their top-level names only."""

    def __init__(
        self, roots: Iterable[Path], top_level: Iterable[str] | None = None, *, links_out: bool = False
    ) -> None:
        super().__init__(links_out)
        self.roots = tuple(roots)
        self._bases = [(str(root), os.path.realpath(root)) for root in self.roots]
        self._top_level = None if top_level is None else frozenset(top_level)

    def _scan(self, path: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for root, base in self._bases:
            directory = os.path.join(root, path) if path else root
            for name, place in self._entries(directory, base, top=not path):
                if not path and self._top_level is not None:
                    if name.rstrip("/").split(".")[0] not in self._top_level:
                        continue
                found.setdefault(name, place)  # the first root wins, as on sys.path
        return found


class MountedFiles(_DiskFiles):
    """Files and directories on disk, each put at its own import path.

    `mounts` maps an import path (``pkg``, ``namespace/pkg``, ``module.py``) to its place; links
    may lead anywhere inside `base`.
    """

    def __init__(self, base: Path, mounts: Mapping[str, Path], *, links_out: bool = False) -> None:
        super().__init__(links_out)
        self._base = os.path.realpath(base)
        self._mounts = {path: str(place) for path, place in mounts.items()}
        self._synthetic = _Listing(
            path + "/." if os.path.isdir(place) else path for path, place in self._mounts.items()
        )

    def _scan(self, path: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in self._synthetic.listdir(path):
            if name != ".":
                child = f"{path}/{name}" if path else name
                found[name] = self._mounts.get(child.rstrip("/"), "")
        directory = self._directory(path)
        if directory is not None:
            for name, place in self._entries(directory, self._base, top=False):
                found.setdefault(name, place)
        return found

    def _directory(self, path: str) -> str | None:
        prefix, rest = path, ""
        while prefix:
            if prefix in self._mounts:
                return os.path.join(self._mounts[prefix], rest) if rest else self._mounts[prefix]
            prefix, _, name = prefix.rpartition("/")
            rest = f"{name}/{rest}" if rest else name
        return None
