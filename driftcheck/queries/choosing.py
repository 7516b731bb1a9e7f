"""Which releases of a provider an audit looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.sources.errors import SourceError, usage
from driftcheck.sources.lists import Release

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Choice:
    """The releases to look at, oldest first; ``newest``: the last is the newest there is.

    ``path`` is a source tree that stands after the last release (a working copy). ``skipped`` are
    versions in between that were left out, and why.
    """

    versions: tuple[str, ...]
    newest: bool
    skipped: tuple[str, ...] = ()
    path: str | None = None


def choose(
    releases: list[Release],
    first: str | None,
    last: str | None,
    include: tuple[str, ...] = (),
    prereleases: bool = False,
    yanked: bool = False,
) -> Choice:
    """The releases from ``first`` to ``last`` (None: the oldest, the newest), and those in ``include``.

    Yanked releases and pre-releases only where asked for, or named as an end. Raises SourceError for
    an end that is no version, and where nothing lies between the ends.
    """
    low = _version(first, "--from") if first else None
    high = _version(last, "--to") if last else None
    named = {Version(text) for text in (first, last, *include) if text}
    kept: list[str] = []
    skipped: list[str] = []
    newest = True
    for release in releases:
        version = Version(release.version)
        wanted = version in named
        if (low is not None and version < low) and not wanted:
            continue
        if high is not None and version > high and not wanted:
            newest = newest and release.yanked | release.prerelease
            continue
        if release.yanked and not (yanked or wanted):
            skipped.append(f"{release.version} (yanked)")
        elif release.prerelease and not (prereleases or wanted):
            skipped.append(f"{release.version} (pre-release)")
        else:
            kept.append(release.version)
    if not kept:
        ends = f"from {first or 'the first'} to {last or 'the newest'}"
        raise usage(f"no release {ends}")
    for text, option in ((first, "--from"), (last, "--to")):
        if text and not any(Version(one) == Version(text) for one in kept):
            offered = ", ".join(one.version for one in releases[-5:])
            raise SourceError(f"{option} {text}: there is no such release; the newest are {offered}")
    return Choice(tuple(kept), newest, tuple(skipped))


def path_end(text: str | None) -> Path | None:
    """The path that an end names (``--to ../lib``); None for a version or nothing."""
    if not text or not ("/" in text or text.startswith(".")):
        return None
    return Path(text).expanduser()


def declared_specifier(requires: tuple[str, ...], name: str) -> SpecifierSet | None:
    """What requirement lines say of a library's versions, all taken together; None where nothing."""
    from packaging.requirements import InvalidRequirement, Requirement

    from driftcheck.sources.names import normalized

    found: list[SpecifierSet] = []
    for line in requires:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if normalized(requirement.name) == normalized(name) and str(requirement.specifier):
            found.append(requirement.specifier)
    if not found:
        return None
    try:
        return SpecifierSet(",".join(dict.fromkeys(str(one) for one in found)))
    except InvalidSpecifier:
        return found[0]


def _version(text: str, option: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        raise usage(f"{option} {text}: no version") from None
