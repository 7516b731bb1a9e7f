"""Where fetched sources are kept: unpacked once, complete or absent, shared by processes."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftcheck.sources.errors import SourceError
from driftcheck.sources.files import ListedFiles
from driftcheck.sources.locks import locked
from driftcheck.sources.tree import Tree

ENVIRONMENT = "DRIFTCHECK_CACHE_DIR"
FORMAT = 1
MARKER = "release.json"
FILES = "files"
STALE_SECONDS = 24 * 3600


def cache_root() -> Path:
    """driftcheck's cache directory: the environment's choice, else the user's cache directory."""
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        return Path(chosen).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("driftcheck", appauthor=False))


@dataclass(frozen=True)
class Entry:
    """What one unpacked archive holds; written as the entry's marker file."""

    name: str
    version: str
    kind: str
    digest: str
    packages: tuple[str, ...]
    requires: tuple[str, ...]
    entry_points: Mapping[str, Mapping[str, str]]
    sizes: Mapping[str, int]


class Cache:
    """The source cache below `root` (default: `cache_root()`).

    A root that cannot be written is still read; what must be written then goes to a temporary
    directory that lasts as long as the process.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (cache_root() if root is None else Path(root).absolute()) / "sources"
        self._scratch: Path | None = None
        self._writable: bool | None = None

    # Entries

    def find(self, name: str, version: str, kind: str, digest: str = "") -> Path | None:
        """The complete entry of an archive, by the beginning of its digest; None where there is none."""
        prefix = f"{version}-{kind}-{digest[:16]}"
        for root in self._roots():
            parent = root / "releases" / name
            names = [prefix]
            if not digest:
                try:
                    names = sorted(entry for entry in os.listdir(parent) if entry.startswith(prefix))
                except OSError:
                    continue
            for entry in names:
                if (parent / entry / MARKER).is_file():
                    return parent / entry
        return None

    def versions(self, name: str) -> list[str]:
        """The versions of which some archive is unpacked here."""
        found = set()
        for root in self._roots():
            with suppress(OSError):
                for entry in os.listdir(root / "releases" / name):
                    if not entry.startswith("."):
                        found.add(entry.rsplit("-", 2)[0])
        return sorted(found)

    def open(self, place: Path, spec: str) -> Tree | None:
        """The tree of an entry; None where it is damaged, and then it is set aside."""
        try:
            entry = _read_marker(place / MARKER)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.discard(place)
            return None
        damaged = (
            f"the cached sources of {entry.name} {entry.version} are damaged or gone: "
            "run again to fetch them anew"
        )
        return Tree(
            spec=spec,
            files=ListedFiles(place / FILES, entry.sizes, damaged, gone=lambda: self.discard(place)),
            packages=entry.packages,
            name=entry.name,
            version=entry.version,
            root=str(place / FILES),
            key=f"{entry.name}=={entry.version}#{entry.kind}-{entry.digest}",
            requires=entry.requires,
            entry_points=entry.entry_points,
            immutable=True,
        )

    def build(self, name: str, version: str, kind: str, digest: str, fill: Callable[[Path], Entry]) -> Path:
        """Make an entry: `fill` unpacks into a new directory and says what it holds.

        The entry appears under its name by one rename, complete. Where another process was
        faster, its entry is kept. Raises SourceError where the disk does not allow it.
        """
        parent = self.write_root() / "releases" / name
        place = parent / f"{version}-{kind}-{digest[:16]}"
        try:
            parent.mkdir(parents=True, exist_ok=True)
            _sweep(parent)
            temporary = Path(tempfile.mkdtemp(prefix=".tmp-", dir=parent))
        except OSError as error:
            raise _disk_error(parent, error) from error
        try:
            entry = fill(temporary)
            (temporary / FILES).mkdir(exist_ok=True)
            _write_marker(temporary / MARKER, entry)
            temporary.chmod(0o755)
            _rename(temporary, place)
        except OSError as error:
            raise _disk_error(parent, error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return place

    def discard(self, place: Path) -> None:
        """Take a damaged entry away, its marker first, so that nobody takes it for complete."""
        with suppress(OSError):
            os.unlink(place / MARKER)
        shutil.rmtree(place, ignore_errors=True)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the named lock, so that of several processes one does the work."""
        with locked(self.write_root() / "locks" / f"{name}.lock"):
            yield

    def download_path(self, name: str) -> Path:
        """Where an archive is downloaded to."""
        directory = self.write_root() / "downloads"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            _sweep(directory, prefix="")
        except OSError as error:
            raise _disk_error(directory, error) from error
        return directory / name

    # Release lists

    def read_list(self, index: str, name: str) -> dict[str, Any] | None:
        """A release list as it was written; None where there is none that can be read."""
        for root in self._roots():
            try:
                data = json.loads((root / "lists" / index / f"{name}.json").read_bytes())
            except (OSError, ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                return data
        return None

    def list_indexes(self) -> list[str]:
        """The indexes of which some release list is kept."""
        found: set[str] = set()
        for root in self._roots():
            with suppress(OSError):
                found.update(os.listdir(root / "lists"))
        return sorted(found)

    def write_list(self, index: str, name: str, data: Mapping[str, Any]) -> None:
        """Keep a release list; a disk that does not allow it only means asking again."""
        directory = self.write_root() / "lists" / index
        with suppress(OSError):
            directory.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=directory)
            try:
                with open(handle, "w", encoding="utf-8") as file:
                    json.dump(data, file, separators=(",", ":"))
                os.replace(temporary, directory / f"{name}.json")
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary)
                raise

    # Places

    def write_root(self) -> Path:
        """The directory that is written to: the cache's own, or a temporary one."""
        if self._writable is None:
            self._writable = _can_write(self.root)
        if self._writable:
            return self.root
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="driftcheck-"))
            atexit.register(shutil.rmtree, self._scratch, ignore_errors=True)
        return self._scratch

    def _roots(self) -> Iterator[Path]:
        yield self.root
        if self._scratch is not None:
            yield self._scratch


def _can_write(root: Path) -> bool:
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return True
    except OSError:
        return False


def _disk_error(place: Path, error: OSError) -> SourceError:
    reason = error.strerror or type(error).__name__
    return SourceError(
        f"cannot write to the cache at {place}: {reason} (set {ENVIRONMENT} to another directory)"
    )


def _write_marker(path: Path, entry: Entry) -> None:
    data = {"format": FORMAT, **vars(entry)}
    with path.open("w", encoding="utf-8") as file:
        json.dump(data, file, separators=(",", ":"))
        file.flush()
        os.fsync(file.fileno())


def _read_marker(path: Path) -> Entry:
    data = json.loads(path.read_bytes())
    if data["format"] != FORMAT:
        raise ValueError("another format")
    sizes = data["sizes"]
    for file, size in sizes.items():
        if type(size) is not int or file.startswith("/") or ".." in file or "\\" in file:
            raise ValueError("a path that leads out")
    points = {
        str(group): {str(name): str(value) for name, value in entries.items()}
        for group, entries in data["entry_points"].items()
    }
    name, version, kind, digest = (data[key] for key in ("name", "version", "kind", "digest"))
    packages, requires = tuple(data["packages"]), tuple(data["requires"])
    if not all(isinstance(text, str) for text in (name, version, kind, digest, *packages, *requires)):
        raise ValueError("a wrong type")
    return Entry(name, version, kind, digest, packages, requires, points, sizes)


def _rename(temporary: Path, place: Path) -> None:
    for _ in range(3):
        try:
            os.rename(temporary, place)
            return
        except OSError:
            if (place / MARKER).is_file():
                return
            if not place.exists():
                raise
            # Left over without its marker: nobody can use it.
            shutil.rmtree(place, ignore_errors=True)
    os.rename(temporary, place)


def _sweep(directory: Path, prefix: str = ".tmp-") -> None:
    """Remove what a killed process left behind, once nobody can still be working on it."""
    oldest = time.time() - STALE_SECONDS
    with suppress(OSError):
        for entry in os.scandir(directory):
            if entry.name.startswith(prefix) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
