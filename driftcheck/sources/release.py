"""Trees from releases: choose the release and its archive, and open what the cache holds of it."""

from __future__ import annotations

import hashlib
from typing import Literal

from packaging.version import InvalidVersion, Version

from driftcheck.sources.cache import Cache
from driftcheck.sources.errors import SourceError
from driftcheck.sources.lists import (
    Release,
    ReleaseFile,
    Report,
    highest_matching,
    kept_releases,
    release_list,
)
from driftcheck.sources.pipconfig import IndexSettings, read_settings
from driftcheck.sources.spec import ReleaseSpec
from driftcheck.sources.tree import Tree

Role = Literal["provider", "consumer"]


def open_release(
    spec: ReleaseSpec,
    text: str,
    role: Role,
    *,
    cache: Cache,
    refresh: bool = False,
    report: Report | None = None,
) -> Tree:
    """The tree of a release; from the cache, without asking anybody, where it is there.

    Raises SourceError where no release fits or none can be fetched.
    """
    settings = read_settings()
    version = spec.exact
    if version is not None and not refresh:
        # What an exact release holds does not change, so a list of any age will do.
        known = _kept_release(spec, cache, settings)
        tree = known and _open_kept(spec.name, known, text, role, cache)
        if tree:
            return tree
    try:
        offered = release_list(spec.name, refresh=refresh, cache=cache, settings=settings, report=report)
        chosen = highest_matching(offered, spec.specifiers)
        if chosen is None and version is not None and not refresh:
            offered = release_list(spec.name, refresh=True, cache=cache, settings=settings, report=report)
            chosen = highest_matching(offered, spec.specifiers)
    except SourceError:
        tree = _open_any(spec, text, role, cache)
        if tree is None:
            raise
        return tree
    if chosen is None:
        raise SourceError(_none_fits(spec, offered))
    tree = _open_kept(spec.name, chosen, text, role, cache)
    if tree is not None:
        return tree
    from driftcheck.sources.fetch import fetch_release

    try:
        return fetch_release(spec.name, chosen, text, role, cache, settings, report)
    except SourceError:
        # An address in a list that was kept may have gone stale.
        again = highest_matching(_asked_again(spec.name, cache, settings, refresh, report), spec.specifiers)
        if again is None or again == chosen:
            raise
    return fetch_release(spec.name, again, text, role, cache, settings, report)


def _asked_again(
    name: str, cache: Cache, settings: IndexSettings, refreshed: bool, report: Report | None
) -> list[Release]:
    try:
        if refreshed:
            return []
        return release_list(name, refresh=True, cache=cache, settings=settings, report=report)
    except SourceError:
        return []


# From the cache


def _kept_release(spec: ReleaseSpec, cache: Cache, settings: IndexSettings) -> Release | None:
    return highest_matching(kept_releases(spec.name, cache, settings), spec.specifiers)


def _open_kept(name: str, release: Release, text: str, role: Role, cache: Cache) -> Tree | None:
    """The unpacked archive that this role would choose, if it is there."""
    for file in preferred(release.files, role):
        place = cache.find(name, release.version, file.kind, digest_name(file))
        tree = cache.open(place, text) if place is not None else None
        if tree is None or tree.packages:
            return tree
    return None


def _open_any(spec: ReleaseSpec, text: str, role: Role, cache: Cache) -> Tree | None:
    """Any unpacked archive that fits: for when no index can be reached and no list is kept."""
    kept = []
    for version in cache.versions(spec.name):
        try:
            kept.append(Release(version, prerelease=Version(version).is_prerelease))
        except InvalidVersion:
            continue
    chosen = highest_matching(kept, spec.specifiers)
    if chosen is None:
        return None
    for kind in _kinds(role):
        place = cache.find(spec.name, chosen.version, kind)
        tree = cache.open(place, text) if place is not None else None
        if tree is not None and tree.packages:
            return tree
    return None


def _none_fits(spec: ReleaseSpec, offered: list[Release]) -> str:
    usable = [release.version for release in offered if not release.yanked]
    if not usable:
        return f"every release of {spec.name} is yanked: name one exactly"
    if not str(spec.specifiers):
        return f"{spec.name} has no release"
    near = ", ".join(usable[-5:])
    return f"no release of {spec.name} fits {spec.specifiers}; the newest are {near}"


# Which archive


def _kinds(role: Role) -> tuple[str, str]:
    return ("sdist", "wheel") if role == "provider" else ("wheel", "sdist")


def preferred(files: tuple[ReleaseFile, ...], role: Role) -> list[ReleaseFile]:
    """The archives of a release, best first, one a kind: a provider's sdist, a consumer's wheel.

    Of several wheels the pure one, then the smallest for a common machine: their Python files are
    the same but for what is built in.
    """
    kinds = _kinds(role)

    def order(file: ReleaseFile) -> tuple[int, bool, bool, bool, float, str]:
        return (
            kinds.index(file.kind),
            not file.filename.endswith("-none-any.whl"),
            not file.filename.endswith(".tar.gz"),
            "linux" not in file.filename or "x86_64" not in file.filename,
            float("inf") if file.size is None else file.size,
            file.filename,
        )

    best: dict[str, ReleaseFile] = {}
    for file in sorted((file for file in files if file.kind in kinds), key=order):
        best.setdefault(file.kind, file)
    return list(best.values())


def digest_name(file: ReleaseFile) -> str:
    """What names an archive's content in the cache: the index's hash, else its address and size."""
    algorithm, _, digest = file.hash.partition("=")
    if algorithm in ("sha256", "sha512", "sha384"):
        return digest
    return hashlib.sha256(f"{file.url} {file.size} {file.hash}".encode()).hexdigest()
