"""Safe unpacking: what analysis needs out of a wheel or an sdist, within limits.

Archives come from anywhere. Members that would be written outside the destination make the
archive refused; links and device files are passed over, unless a link names a member of the same
archive; declared sizes are never trusted, what really comes out of the stream is counted.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import os
import posixpath
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

from driftcheck.sources.errors import SourceError

TEXT_SUFFIXES = (".py", ".pyi")
EXTENSION_SUFFIXES = (".so", ".pyd", ".pyx")
METADATA_NAMES = frozenset(
    {
        "METADATA", "PKG-INFO", "RECORD", "entry_points.txt", "top_level.txt", "requires.txt",
        "pyproject.toml", "setup.cfg",
    }
)  # fmt: skip

# Whatever a stream or a header holds, these are the ways the standard library reports it.
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OverflowError,
    RecursionError, MemoryError, NotImplementedError, RuntimeError, struct.error, IndexError, KeyError,
)  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold before it is refused."""

    members: int = 200_000
    total: int = 4 << 30
    file: int = 256 << 20
    ratio: int = 300
    ratio_from: int = 256 << 20
    read: int = 64 << 20
    directory: int = 48 << 20


LIMITS = Limits()


def is_wanted(path: str) -> bool:
    """Whether analysis needs the member: Python sources, extension modules' names, metadata."""
    name = path.rpartition("/")[2]
    if name.endswith((*TEXT_SUFFIXES, *EXTENSION_SUFFIXES)) or name in METADATA_NAMES:
        return True
    return name.endswith(".txt") and path.rpartition("/")[0].rpartition("/")[2] == "requirements"


def unpack(
    archive: Path,
    destination: Path,
    *,
    strip: bool = False,
    want: Callable[[str], bool] = is_wanted,
    limits: Limits = LIMITS,
    name: str = "",
) -> dict[str, int]:
    """Write the wanted members of `archive` below `destination`; return their paths and sizes.

    `strip` drops the one directory that an sdist's members share. Extension modules are written
    empty. Of members with one name the first wins. Raises SourceError for an archive that is
    damaged, hostile or too large, and for a destination that cannot be written.
    """
    name = name or archive.name
    with refusing(name), archive.open("rb") as file:
        if zipfile.is_zipfile(file):
            members = _zip_members(file, limits)
        else:
            file.seek(0)
            members = _tar_members(file, name, archive.stat().st_size, limits)
        return write_members(members, destination, strip=strip, want=want, limits=limits)


@dataclass(frozen=True)
class Member:
    """One regular file of an archive, or a link to one (`link`: its path in the archive)."""

    path: str
    open: Callable[[], IO[bytes]]
    link: str | None = None


def write_members(
    members: Iterator[Member],
    destination: Path,
    *,
    strip: bool,
    want: Callable[[str], bool],
    limits: Limits,
) -> dict[str, int]:
    """Write members below `destination`; see `unpack`."""
    written: dict[str, int] = {}
    links: list[tuple[str, str]] = []
    first: str | None = None
    total = 0
    for member in members:
        path = safe_path(member.path)
        if path is None:
            continue
        if strip:
            first = first or path.split("/")[0]
            path = _below(path, first) or ""
        if not path or not want(path) or path in written:
            continue
        if member.link is not None:
            target = _below(member.link, first) if strip and first else member.link
            if target:
                links.append((path, target))
            continue
        if path.endswith(EXTENSION_SUFFIXES):
            data: IO[bytes] | None = None
        else:
            data = member.open()
        size = _write(destination / path, data, limits, limits.total - total)
        if size is not None:
            written[path] = size
            total += size
    for path, target in links:
        if target in written and path not in written and want(target):
            with open(destination / target, "rb") as source:
                size = _write(destination / path, source, limits, limits.total - total)
            if size is not None:
                written[path] = size
                total += size
    return written


MAX_DIRECTORIES = 100
"""No package nests so deep, and whoever removes the tree again may go into directories by recursion."""


def safe_path(name: str) -> str | None:
    """A member's path in normal form; None where it is no path to write (empty, control characters, too deep).

    Raises SourceError for a path that leads out of the destination.
    """
    if name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":"):
        raise SourceError(f"archive refused: it has an absolute path, {name[:80]!r}")
    if ".." in name.replace("\\", "/").split("/"):
        raise SourceError(f"archive refused: it has a path that climbs out, {name[:80]!r}")
    if "\\" in name or ":" in name or any(ord(char) < 32 or 0xD800 <= ord(char) < 0xE000 for char in name):
        return None
    path = PurePosixPath(name).as_posix()
    return None if path == "." or path.count("/") > MAX_DIRECTORIES else path


def _below(path: str, first: str) -> str | None:
    head, _, tail = path.partition("/")
    return tail if head == first and tail else None


def _write(path: Path, source: IO[bytes] | None, limits: Limits, room: int) -> int | None:
    """Copy `source` (None: nothing) to a new file; None where the name cannot be used here."""
    try:
        try:
            file = open(path, "xb")
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = open(path, "xb")
    except OSError as error:
        # Names that collide on this file system, file against directory, or are too long.
        if error.errno in (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EINVAL):
            return None
        raise
    size = 0
    with file:
        while source is not None and (chunk := source.read(1 << 18)):
            size += len(chunk)
            if size > limits.file:
                raise SourceError(f"archive refused: {path.name} is larger than {limits.file >> 20} MB")
            if size > room:
                raise SourceError(f"archive refused: it unpacks to more than {limits.total >> 20} MB")
            file.write(chunk)
    return size


class refusing:
    """Turns what a damaged archive makes the standard library raise into SourceError."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
            if error.errno is not None:
                reason = error.strerror or type(error).__name__
                raise SourceError(f"cannot unpack {self._name}: {reason}") from error
        if isinstance(error, (*_DAMAGE, OSError)):
            raise SourceError(f"{self._name} is damaged or no archive ({type(error).__name__})") from error


# Zip


def _zip_members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    check_zip_directory(file, limits)
    with zipfile.ZipFile(file) as archive:
        yield from zip_members(archive, archive.infolist(), limits)


def zip_members(
    archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], limits: Limits = LIMITS
) -> Iterator[Member]:
    """The regular files among `infos`; symbolic links are passed over (wheels have none)."""
    if len(infos) > limits.members:
        raise SourceError(f"archive refused: more than {limits.members} members")
    for info in infos:
        kind = info.external_attr >> 28
        if info.is_dir() or kind not in (0, 0o10):
            continue
        yield Member(info.filename, lambda info=info: archive.open(info))  # type: ignore[misc]


def check_zip_directory(file: BinaryIO, limits: Limits = LIMITS) -> None:
    """Refuse a zip whose central directory is too large to be read into memory."""
    file.seek(0, os.SEEK_END)
    end = file.tell()
    tail_at = max(0, end - (1 << 16) - 64)
    file.seek(tail_at)
    tail = file.read(end - tail_at)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + 20 > len(tail):
        raise zipfile.BadZipFile("no end of central directory")
    size = struct.unpack_from("<L", tail, at + 12)[0]
    large = tail.rfind(b"PK\x06\x06")
    if large >= 0 and large + 48 <= len(tail):
        size = max(size if size != 0xFFFFFFFF else 0, struct.unpack_from("<Q", tail, large + 40)[0])
    if size > limits.directory:
        raise SourceError(f"archive refused: more than {limits.members} members")


# Tar


class _ForwardReader:
    """A decompressed stream that `tarfile` can only walk forwards, counted and capped."""

    def __init__(self, stream: Any, compressed: int, limits: Limits) -> None:
        self._stream, self._limits, self._position = stream, limits, 0
        self._room = min(limits.total, max(limits.ratio_from, compressed * limits.ratio))

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self._limits.read:
            # A header that claims to be this large would be read into memory in one piece.
            raise SourceError("archive refused: a member's header is too large")
        data: bytes = self._stream.read(size)
        self._position += len(data)
        if self._position > self._room:
            raise SourceError(f"archive refused: it unpacks to more than {self._room >> 20} MB")
        return data

    def seek(self, position: int, whence: int = 0) -> int:
        if whence != 0 or position < self._position:
            raise tarfile.ReadError("a stream cannot be rewound")
        while self._position < position:
            if not self.read(min(1 << 20, self._limits.read, position - self._position)):
                break
        return self._position


def _tar_members(file: BinaryIO, name: str, compressed: int, limits: Limits) -> Iterator[Member]:
    magic = file.read(6)
    file.seek(0)
    stream: Any
    if magic.startswith(b"\x1f\x8b"):
        stream = gzip.GzipFile(fileobj=file, mode="rb")
    elif magic.startswith(b"BZh"):
        stream = bz2.BZ2File(file)
    elif magic.startswith(b"\xfd7zXZ"):
        stream = lzma.LZMAFile(file)
    else:
        raise SourceError(f"{name} is neither a zip nor a compressed tar archive")
    reader: Any = _ForwardReader(stream, compressed, limits)
    with tarfile.open(fileobj=reader, mode="r:") as archive:
        for count, info in enumerate(_tar_infos(archive)):
            if count >= limits.members:
                raise SourceError(f"archive refused: more than {limits.members} members")
            if info.isreg() and not info.issparse():
                yield Member(info.name, lambda info=info: _tar_open(archive, info))  # type: ignore[misc]
            elif info.issym() or info.islnk():
                target = info.linkname
                if info.issym():
                    target = posixpath.join(posixpath.dirname(info.name), target)
                target = posixpath.normpath(target)
                if not target.startswith(("/", "..")):
                    yield Member(info.name, _nothing, link=target)


def _tar_infos(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    while (info := archive.next()) is not None:
        archive.members = []  # type: ignore[attr-defined]  # it would keep every header in memory
        yield info


def _tar_open(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = archive.extractfile(info)
    if file is None:
        raise tarfile.ReadError("not a regular file")
    return file


def _nothing() -> IO[bytes]:
    raise tarfile.ReadError("a link has no content")
