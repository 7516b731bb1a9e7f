"""From a spec to its tree; and the provider version that a consumer says it works with."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.sources.cache import Cache
from driftcheck.sources.errors import SourceError
from driftcheck.sources.lists import Release, Report, highest_matching, release_list
from driftcheck.sources.names import file_version, normalized
from driftcheck.sources.release import Role, open_release
from driftcheck.sources.spec import ArchiveSpec, InstalledSpec, PathSpec, exact_version, parse_spec
from driftcheck.sources.tree import Tree


def open_tree(
    spec: str,
    *,
    role: Role,
    python: Path | None = None,
    run_python: bool = True,
    refresh: bool = False,
    include_tests: bool = False,
    cache: Cache | None = None,
    progress: Report | None = None,
) -> Tree:
    """The source files that `spec` names.

    `role` decides which archive of a release is read (a provider's sdist, a consumer's wheel),
    `python` in which environment a bare name is looked for (default: the running one), `run_python`
    whether that interpreter may be asked where nothing else tells (not where a project names it), `refresh`
    that the index is asked even if it was lately, `include_tests` that a project's tests and
    examples belong to it. `progress` is told what is going on, one line at a time. Nothing is
    imported, built or run. Raises SourceError.
    """
    parsed = parse_spec(spec)
    # Each kind's module is imported only when it is needed: most runs open one or two kinds.
    if isinstance(parsed, PathSpec):
        from driftcheck.sources.local import open_path

        return open_path(parsed.path, spec, include_tests=include_tests, report=progress)
    if isinstance(parsed, InstalledSpec):
        from driftcheck.sources.installed import open_installed

        return open_installed(parsed.name, python, spec, run_python)
    cache = cache or Cache()
    if isinstance(parsed, ArchiveSpec):
        from driftcheck.sources.archivefile import open_archive

        return open_archive(parsed.path, spec, cache=cache, report=progress)
    return open_release(parsed, spec, role, cache=cache, refresh=refresh, report=progress)


def known_good_version(
    consumer: Tree,
    provider: str,
    *,
    refresh: bool = False,
    cache: Cache | None = None,
    progress: Report | None = None,
) -> str | None:
    """The version of `provider` that the consumer's requirements say it works with; None if they don't.

    A pin counts before a range, of a range the highest release that fits; whatever extra or marker
    a requirement stands under, it counts; of several the highest is taken. Where the release list
    is needed and cannot be had, `progress` is told and the answer is None.
    """
    pins: list[Version] = []
    ranges: list[SpecifierSet] = []
    for line in consumer.requires:
        name, specifiers, url = _requirement(line)
        if name != normalized(provider):
            continue
        pin = _pinned(specifiers, url)
        if pin is not None:
            pins.append(pin)
        elif str(specifiers):
            ranges.append(specifiers)
    if pins:
        return str(max(pins))
    if not ranges:
        return None
    try:
        offered = release_list(provider, refresh=refresh, cache=cache or Cache(), report=progress)
    except SourceError as error:
        if progress is not None:
            progress(f"no known-good version of {provider}: {error}")
        return None
    found = [highest_matching(offered, specifiers) for specifiers in ranges]
    versions = [Version(release.version) for release in found if release is not None]
    return str(max(versions)) if versions else None


_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*"
    r"(?:@\s*(?P<url>\S+)|\(?(?P<specifiers>[^;@)]*)\)?)\s*(?:;.*)?",
    re.DOTALL,
)


def _requirement(line: str) -> tuple[str, SpecifierSet, str]:
    """(normalised name, specifiers, URL) of a requirement line; empty where it cannot be read."""
    match = _REQUIREMENT.fullmatch(line)
    if match is None:
        return "", SpecifierSet(), ""
    try:
        return normalized(match["name"]), SpecifierSet(match["specifiers"] or ""), match["url"] or ""
    except (InvalidSpecifier, InvalidVersion):
        return "", SpecifierSet(), ""


def _pinned(specifiers: SpecifierSet, url: str) -> Version | None:
    if url:
        # A direct reference to a wheel or an sdist names its version too.
        return file_version(url.partition("#")[0].rpartition("/")[2])
    text = exact_version(specifiers)
    try:
        return None if text is None else Version(text)
    except InvalidVersion:
        return None


def releases(
    name: str, *, refresh: bool = False, cache: Cache | None = None, progress: Report | None = None
) -> list[Release]:
    """The releases of `name`, oldest first.

    A list that was fetched within a day is used without asking, an older one where no index can be
    reached; `refresh` always asks. Raises SourceError where nothing is known of the name.
    """
    return release_list(name, refresh=refresh, cache=cache or Cache(), report=progress)
