"""A read-only set of source files, whatever they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from driftcheck.sources.files import DirectoryFiles, ListedFiles, MemoryFiles, MountedFiles, Overlay

__all__ = ["DirectoryFiles", "Files", "ListedFiles", "MemoryFiles", "MountedFiles", "Overlay", "Tree"]


class Files(Protocol):
    """Where a tree's bytes come from. Paths are relative to the import root, with ``/``."""

    def read(self, path: str) -> bytes:
        """The file's bytes; raises OSError (FileNotFoundError where it does not exist)."""

    def listdir(self, path: str) -> frozenset[str]:
        """Names in a directory, directories with a trailing ``/``; empty where there is none."""

    def paths(self) -> Iterable[str]:
        """Every file's path, sorted."""


@dataclass(frozen=True)
class Tree:
    """A set of source files with what its metadata says.

    ``packages`` are the top-level names that it makes importable; ``requires`` its requirement
    lines as metadata spells them; ``key`` identifies the content for caches (name, version and
    archive hash for a release, the path for a working tree). ``only`` is the part that was asked
    for, where a file or a package inside a larger one was named: files, and directories with a
    trailing ``/``; empty means all of it. ``partial``: what is not asked for is too much to be searched.
    """

    spec: str
    files: Files
    packages: tuple[str, ...]
    name: str | None = None
    version: str | None = None
    root: str | None = None
    key: str = ""
    requires: tuple[str, ...] = ()
    entry_points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    immutable: bool = False
    only: tuple[str, ...] = ()
    partial: bool = False

    def read(self, path: str) -> bytes:
        """The file's bytes; raises OSError (FileNotFoundError where it does not exist)."""
        return self.files.read(path)

    def contains(self, path: str, needle: bytes) -> bool:
        """Whether a file has certain bytes; raises OSError. Nothing else of the file is asked by this."""
        ask = getattr(self.files, "contains", None)
        return bool(ask(path, needle)) if ask is not None else needle in self.files.read(path)

    @property
    def records(self) -> bool:
        """Whether the tree remembers what it was asked, so that it matters how much that is."""
        return hasattr(self.files, "contains")

    def listdir(self, path: str) -> frozenset[str]:
        """Names in a directory, directories with a trailing ``/``; empty where there is none."""
        return self.files.listdir(path)

    def is_file(self, path: str) -> bool:
        head, _, name = path.rpartition("/")
        return name in self.listdir(head)

    def is_dir(self, path: str) -> bool:
        head, _, name = path.rpartition("/")
        return name + "/" in self.listdir(head)

    def locate(self, path: str) -> Path | None:
        """The file on disk that `path` is read from; None where there is none (memory, no such path)."""
        find = getattr(self.files, "locate", None)
        return None if find is None else find(path)

    @cached_property
    def all_python_files(self) -> tuple[str, ...]:
        """Every Python file, also those beside the part that was asked for, sorted."""
        return tuple(path for path in self.files.paths() if path.endswith(".py"))

    @cached_property
    def python_files(self) -> tuple[str, ...]:
        """The Python files that were asked for, sorted (all, unless ``only`` says otherwise)."""
        found = self.all_python_files
        if not self.only:
            return found
        directories = tuple(entry for entry in self.only if entry.endswith("/"))
        return tuple(path for path in found if path in self.only or path.startswith(directories))

    def overlay(self, changed: Mapping[str, bytes]) -> Tree:
        """The same tree with some files' bytes replaced or added in memory."""
        return replace(self, files=Overlay(self.files, dict(changed)), immutable=False)
