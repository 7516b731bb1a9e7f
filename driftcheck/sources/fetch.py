"""Fetching archives: download, verify, unpack once into the cache, open."""

from __future__ import annotations

import base64
import hashlib
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from driftcheck.sources.cache import FILES, Cache, Entry
from driftcheck.sources.contents import keep, unpack_entry, want_wheel
from driftcheck.sources.errors import SourceError
from driftcheck.sources.http import Client, local_path
from driftcheck.sources.lists import Release, ReleaseFile, Report
from driftcheck.sources.metadata import decode, record_hashes
from driftcheck.sources.pipconfig import IndexSettings
from driftcheck.sources.ranges import unpack_remote
from driftcheck.sources.release import Role, digest_name, preferred
from driftcheck.sources.tree import Tree

# A wheel as large as this is read by ranges where the server serves them.
RANGES_FROM = 20 << 20


def fetch_release(
    name: str,
    release: Release,
    text: str,
    role: Role,
    cache: Cache,
    settings: IndexSettings,
    report: Report | None,
) -> Tree:
    """The tree of a release, from the cache or from where the index says its archives are.

    Of an archive without Python the next kind is tried. Raises SourceError.
    """
    files = preferred(release.files, role)
    if not files:
        raise SourceError(f"{name} {release.version} has neither a wheel nor an sdist on the index")
    for file in files:
        with cache.lock(f"{name}-{release.version}-{file.kind}"):
            place = cache.find(name, release.version, file.kind, digest_name(file))
            tree = cache.open(place, text) if place is not None else None
            if tree is None:
                place = _build(name, release.version, file, cache, settings, report)
                tree = cache.open(place, text)
        if tree is None:
            raise SourceError(f"cannot read the cache entry of {name} {release.version}; run again")
        if tree.packages:
            return tree
    raise SourceError(f"{files[0].filename} has no Python file to read")


def _build(
    name: str,
    version: str,
    file: ReleaseFile,
    cache: Cache,
    settings: IndexSettings,
    report: Report | None,
) -> Path:
    digest = digest_name(file)
    identity = (name, version)
    source = local_path(file.url)

    def fill(temporary: Path) -> Entry:
        if source is not None:
            verify(source, file)
            return unpack_entry(source, file.kind, digest, temporary, identity, file.filename)
        client = Client(settings)
        try:
            if file.kind == "wheel" and (file.size or RANGES_FROM) >= RANGES_FROM:
                entry = _by_ranges(client, file, digest, temporary, identity, report)
                if entry is not None:
                    return entry
            path = cache.download_path(f"{digest[:32]}.part")
            if not file.hash:
                path.unlink(missing_ok=True)  # nothing would tell a wrong continuation
            _download(client, file, path, report)
        finally:
            client.close()
        entry = unpack_entry(path, file.kind, digest, temporary, identity, file.filename)
        path.unlink(missing_ok=True)
        return entry

    return cache.build(name, version, file.kind, digest, fill)


def _by_ranges(
    client: Client,
    file: ReleaseFile,
    digest: str,
    temporary: Path,
    identity: tuple[str, str],
    report: Report | None,
) -> Entry | None:
    """A large wheel's Python files; None where they cannot be read one by one."""
    if report is not None:
        report(f"reading the Python files of {file.filename}")
    unpacked = temporary / "unpacked"
    unpacked.mkdir()
    try:
        sizes = unpack_remote(client, file.url, unpacked, want_wheel, _meter(file.filename, report))
        _check_record(unpacked, sizes)
        return keep("wheel", unpacked, sizes, temporary / FILES, digest, identity, file.filename)
    except SourceError as error:
        if report is not None:
            report(f"fetching the whole of {file.filename}: {error}")
        return None
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


def _check_record(unpacked: Path, sizes: Mapping[str, int]) -> None:
    """Compare files with the hashes of the wheel's RECORD: read by ranges, no other hash covers them."""
    for path in sizes:
        if not path.endswith(".dist-info/RECORD") or path.count("/") != 1:
            continue
        for member, stated in record_hashes(decode((unpacked / path).read_bytes())).items():
            if sizes.get(member):
                digest = hashlib.sha256((unpacked / member).read_bytes()).digest()
                if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != stated.rstrip("="):
                    raise SourceError(f"{member} is not what the wheel's RECORD says")


def _download(client: Client, file: ReleaseFile, path: Path, report: Report | None) -> None:
    """Fetch an archive to `path` and verify it; once more from the start if a resumed one is wrong."""
    if report is not None:
        report(f"downloading {file.filename}")
    resumed = client.download(file.url, path, file.size, _meter(file.filename, report))
    try:
        verify(path, file)
    except SourceError:
        path.unlink(missing_ok=True)
        if not resumed:
            raise
        client.download(file.url, path, file.size, _meter(file.filename, report))
        try:
            verify(path, file)
        except SourceError:
            path.unlink(missing_ok=True)
            raise


def verify(path: Path, file: ReleaseFile) -> None:
    """Raise SourceError where the archive at `path` has not the hash that the index states."""
    algorithm, _, stated = file.hash.partition("=")
    if not algorithm:
        return
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, algorithm).hexdigest()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
    if found != stated:
        raise SourceError(
            f"{file.filename} has not the {algorithm} that the index states "
            f"({found[:12]}… instead of {stated[:12]}…): not used; try again or check pip's index settings"
        )


def _meter(filename: str, report: Report | None) -> Callable[[int, int | None], None] | None:
    """Tells how far a download is, a few times a second."""
    if report is None:
        return None
    last = time.monotonic()

    def moved(done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last > 0.25:
            last = time.monotonic()
            whole = f" of {total / 1e6:.0f}" if total else ""
            report(f"downloading {filename} ({done / 1e6:.0f}{whole} MB)")

    return moved
