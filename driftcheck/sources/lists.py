"""Release lists: what is known of a distribution's releases, kept for a day."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from driftcheck.sources.cache import Cache
from driftcheck.sources.errors import SourceError
from driftcheck.sources.names import normalized
from driftcheck.sources.pipconfig import IndexSettings, read_settings

Report = Callable[[str], None]

DAY = 24 * 3600


@dataclass(frozen=True)
class ReleaseFile:
    """One archive of a release; `hash` is ``algorithm=hexdigest``, or empty where the index has none."""

    filename: str
    url: str
    kind: str
    version: str
    hash: str = ""
    size: int | None = None
    yanked: bool = False


@dataclass(frozen=True)
class Release:
    """One version that an index offers."""

    version: str
    yanked: bool = False
    prerelease: bool = False
    files: tuple[ReleaseFile, ...] = field(default=(), repr=False)


def release_list(
    name: str,
    *,
    refresh: bool = False,
    cache: Cache,
    settings: IndexSettings | None = None,
    report: Report | None = None,
    max_age: float = DAY,
) -> list[Release]:
    """As `releases`, for given settings and a given greatest age in seconds."""
    name = normalized(name)
    settings = settings or read_settings()
    index = settings.fingerprint()
    kept = cache.read_list(index, name)
    if kept is not None and not refresh and 0 <= time.time() - _asked(kept) <= max_age:
        found = _from_data(kept)
        if found:
            return found
    try:
        from driftcheck.sources.registry import Unknown, offered_files

        try:
            files, complete = offered_files(name, settings, report)
        except Unknown:
            raise
    except SourceError as error:
        found = _from_data(kept) if kept is not None else _any_list(cache, name)
        if not found:
            raise
        if report is not None:
            report(f"using the release list of {name} fetched earlier: {error}")
        return found
    data = {"asked": time.time() if complete else 0, "files": [_row(file) for file in files]}
    cache.write_list(index, name, data)
    return _grouped(files)


def kept_releases(name: str, cache: Cache, settings: IndexSettings) -> list[Release]:
    """The release list that was kept for these settings, however old; empty where there is none."""
    kept = cache.read_list(settings.fingerprint(), name)
    return [] if kept is None else _from_data(kept)


def highest_matching(releases: Iterable[Release], specifiers: SpecifierSet) -> Release | None:
    """The highest release that fits, as pip would choose it.

    Yanked releases count only for an exact version; pre-releases only where the range names one or
    nothing else fits; of versions that differ in their local part the one without is preferred.
    """
    exact = any(
        specifier.operator in ("==", "===") and not specifier.version.endswith(".*")
        for specifier in specifiers
    )
    offered = {release.version: release for release in releases if exact or not release.yanked}
    versions = list(specifiers.filter(offered, prereleases=True if exact else None))
    if not versions:
        return None
    return offered[max(versions, key=_preference)]


def _preference(text: str) -> tuple[Version, bool, Version]:
    version = Version(text)
    return Version(version.public), version.local is None, version


# What is kept


def _row(file: ReleaseFile) -> list[Any]:
    return [file.filename, file.url, file.kind, file.version, file.hash, file.size, file.yanked]


def _from_data(data: Mapping[str, Any]) -> list[Release]:
    try:
        files = [ReleaseFile(*row) for row in data["files"]]
        for file in files:
            texts = (file.filename, file.url, file.kind, file.version, file.hash)
            if not all(isinstance(text, str) for text in texts):
                return []
        return _grouped(files)
    except (KeyError, TypeError, ValueError):
        return []


def _asked(data: Mapping[str, Any]) -> float:
    asked = data.get("asked")
    return float(asked) if isinstance(asked, (int, float)) else 0.0


def _any_list(cache: Cache, name: str) -> list[Release]:
    """A list from other index settings: better than nothing where no index can be reached."""
    lists = [cache.read_list(index, name) for index in cache.list_indexes()]
    kept = max((data for data in lists if data is not None), key=_asked, default=None)
    return [] if kept is None else _from_data(kept)


def _grouped(files: Iterable[ReleaseFile]) -> list[Release]:
    by_version: dict[str, list[ReleaseFile]] = {}
    for file in files:
        by_version.setdefault(file.version, []).append(file)
    versions = sorted((Version(text), text) for text in by_version)
    return [
        Release(
            text,
            all(file.yanked for file in by_version[text]),
            version.is_prerelease,
            tuple(by_version[text]),
        )
        for version, text in versions
    ]
