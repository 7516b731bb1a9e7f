"""Writing a changed file: whole or not at all, and only if it is still what was read."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path


class FileChanged(Exception):
    """The file is no longer what was read; it has been left alone."""


def write_file(path: Path, before: bytes, after: bytes) -> None:
    """Replaces a file's content ``before`` by ``after``.

    The new content is written beside the file, flushed to the disk and renamed over it, so that whoever
    reads, and whatever interrupts, meets the old file or the new one. Mode and, where allowed, owner
    are kept; of a symbolic link the file that it leads to is replaced. Raises FileChanged, and OSError
    where it cannot be written.
    """
    place = Path(os.path.realpath(path))
    status = _unchanged(place, before)
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, "read-only file", str(place))
    # Named before it exists: an interrupt right after its creation finds it too.
    temporary = str(place.with_name(f".{place.name}.{secrets.token_hex(8)}.driftcheck"))
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(after)
            file.flush()
            _like(file.fileno(), temporary, status)
            os.fsync(file.fileno())
        _unchanged(place, before)
        os.replace(temporary, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(place.parent)


def _unchanged(place: Path, before: bytes) -> os.stat_result:
    """The file's status; raises FileChanged where its content is not ``before``."""
    try:
        with open(place, "rb") as file:
            status = os.fstat(file.fileno())
            if file.read() == before and stat.S_ISREG(status.st_mode):
                return status
    except FileNotFoundError:
        pass
    raise FileChanged(f"{place} has changed since it was read")


def _like(descriptor: int, temporary: str, status: os.stat_result) -> None:
    """Gives the new file the old one's owner, where that is allowed, and its mode."""
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
    os.chmod(temporary, stat.S_IMODE(status.st_mode))


def _sync_directory(directory: Path) -> None:
    """Makes a rename last through a crash, on systems where a directory can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
