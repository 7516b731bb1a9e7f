"""Trees from wheel and sdist files on disk."""

from __future__ import annotations

import hashlib
from pathlib import Path

from driftcheck.sources.cache import Cache, Entry
from driftcheck.sources.contents import unpack_entry
from driftcheck.sources.errors import SourceError
from driftcheck.sources.lists import Report
from driftcheck.sources.names import file_version
from driftcheck.sources.tree import Tree


def open_archive(path: Path, text: str, *, cache: Cache, report: Report | None = None) -> Tree:
    """The tree of a wheel or sdist file; SourceError where it cannot be read or holds no Python."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"cannot read {text}: {error.strerror or error}") from error
    kind = "wheel" if path.name.lower().endswith(".whl") else "sdist"
    version = str(file_version(path.name) or "0")
    name = "files"
    place = cache.find(name, version, kind, digest)
    tree = cache.open(place, text) if place is not None else None
    if tree is None:
        if report is not None:
            report(f"unpacking {path.name}")
        with cache.lock(f"{name}-{digest[:16]}"):
            place = cache.find(name, version, kind, digest)
            if place is None:

                def fill(temporary: Path) -> Entry:
                    return unpack_entry(path, kind, digest, temporary, None, path.name)

                place = cache.build(name, version, kind, digest, fill)
        tree = cache.open(place, text)
    if tree is None:
        raise SourceError(f"cannot read the cache entry of {text}; run again")
    if not tree.packages:
        raise SourceError(f"{text} has no Python file to read")
    return tree
