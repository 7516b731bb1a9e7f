"""From what was unpacked to what is kept: importable files at their import paths, and metadata."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from driftcheck.sources.archive import is_wanted, unpack
from driftcheck.sources.cache import FILES, Entry
from driftcheck.sources.facts import project_metadata, project_name
from driftcheck.sources.layout import Mounts, find_mounts
from driftcheck.sources.metadata import (
    IMPORTABLE,
    Metadata,
    decode,
    parse_entry_points,
    parse_metadata,
    top_level_names,
)
from driftcheck.sources.names import normalized
from driftcheck.sources.pyproject import read_project_files

# Installed by mistake often enough, and never what a consumer's name stands for.
STRAYS = frozenset({"tests", "test", "docs", "doc", "examples", "example", "benchmarks", "benchmark"})


def want_wheel(path: str) -> bool:
    """Whether a wheel's member is kept."""
    return is_wanted(path) and (".dist-info/" in path or _importable(_installed_path(path)))


def want_sdist(path: str) -> bool:
    """Whether an sdist's member is kept until its layout is known."""
    return is_wanted(path) and path.split("/")[0] not in STRAYS


def unpack_entry(
    archive: Path, kind: str, digest: str, temporary: Path, identity: tuple[str, str] | None, filename: str
) -> Entry:
    """Unpack an archive file and keep what is importable of it below `temporary`; see `keep`.

    `filename` is what messages call the archive. Raises SourceError.
    """
    unpacked = temporary / "unpacked"
    unpacked.mkdir()
    want = want_wheel if kind == "wheel" else want_sdist
    sizes = unpack(archive, unpacked, strip=kind == "sdist", want=want, name=filename)
    entry = keep(kind, unpacked, sizes, temporary / FILES, digest, identity, filename)
    shutil.rmtree(unpacked, ignore_errors=True)
    return entry


def keep(
    kind: str,
    unpacked: Path,
    sizes: Mapping[str, int],
    target: Path,
    digest: str,
    identity: tuple[str, str] | None,
    filename: str,
) -> Entry:
    """Move what is importable from `unpacked` to `target`, and say what that is.

    `identity` is the (name, version) that was asked for; None takes it from the archive. Where
    nothing is importable the entry has no packages.
    """
    if kind == "wheel":
        info, mounts = _wheel(unpacked, sizes)
    else:
        project = read_project_files(unpacked)
        mounts = find_mounts(project, project_name(project), built=True)
        info = project_metadata(project, mounts.values())
    kept: dict[str, int] = {}
    for path, place in sorted(mounts.items()):
        source = place.relative_to(unpacked).as_posix()
        moved = {
            path + old[len(source) :]: size
            for old, size in sizes.items()
            if old == source or old.startswith(source + "/")
        }
        moved = {new: size for new, size in moved.items() if _importable(new)}
        destination = target / path
        if not moved or destination.exists() or not place.exists():
            continue
        destination.parent.mkdir(parents=True, exist_ok=True)
        os.rename(place, destination)
        kept.update(moved)
    if not any(path.endswith((".py", ".pyi")) for path in kept):
        kept = {}  # remembered as empty, so that nobody fetches it again to find nothing
    name, version = identity or (info.name or filename.split("-")[0], info.version or "0")
    return Entry(
        name=normalized(name),
        version=version,
        kind=kind,
        digest=digest,
        packages=top_level_names(kept),
        requires=info.requires,
        entry_points=info.entry_points,
        sizes=dict(sorted(kept.items())),
    )


def _importable(path: str) -> bool:
    *directories, name = path.split("/")
    return name.endswith(IMPORTABLE) and all(part.isidentifier() for part in directories)


def _installed_path(path: str) -> str:
    """Where a wheel's member is installed to, below site-packages."""
    head, _, rest = path.partition("/")
    if head.endswith(".data"):
        scheme, _, inner = rest.partition("/")
        return inner if scheme in ("purelib", "platlib") else ""
    return path


def _wheel(unpacked: Path, sizes: Mapping[str, int]) -> tuple[Metadata, Mounts]:
    mounts: Mounts = {}
    info = Metadata()
    entry_points: dict[str, dict[str, str]] = {}
    for path in sizes:
        head, _, rest = path.partition("/")
        if head.endswith(".dist-info"):
            if rest == "METADATA":
                info = parse_metadata(decode((unpacked / path).read_bytes()))
            elif rest == "entry_points.txt":
                entry_points = parse_entry_points(decode((unpacked / path).read_bytes()))
            continue
        installed = _installed_path(path)
        if _importable(installed):
            top = installed.split("/")[0]
            mounts.setdefault(top, unpacked / path[: len(path) - len(installed)] / top)
    others = {top: place for top, place in mounts.items() if top.split(".")[0] not in STRAYS}
    return Metadata(info.name, info.version, info.requires, entry_points), others or mounts
