"""Which releases of a provider an audit looks at."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.sources.errors import SourceError, usage
from driftcheck.sources.lists import Release
from driftcheck.sources.names import normalized
from driftcheck.sources.tree import Tree

Progress = Callable[[str], None]
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


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
    an end that is no version, for ends the wrong way round, and where nothing lies between them.
    """
    low = checked_version(first, "--from") if first else None
    high = checked_version(last, "--to") if last else None
    if low is not None and high is not None and low > high:
        # Both ends are wanted by name, so that they alone would be looked at.
        raise usage(f"--from {first} is newer than --to {last}")
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


def release_named(releases: list[Release], name: str, wanted: str) -> None:
    """Refuse a wanted version that is none of the releases, in the words that ``check`` has for it."""
    if not any(Version(one.version) == Version(wanted) for one in releases):
        near = ", ".join(one.version for one in releases[-5:])
        raise SourceError(f"no release of {name} fits =={wanted}; the newest are {near}")


def refuse_foreign(text: str, tree: Tree, known: Tree, name: str) -> None:
    """Refuse a source tree that holds none of what a release of the provider is known to make importable.

    Where a package of the release is called as the provider is, it is the one that must be there: a
    ``tests`` beside it is in many trees.
    """
    called = {one for one in known.packages if normalized(one) == normalized(name)}
    expected = called or set(known.packages)
    if expected and not expected & set(tree.packages):
        raise SourceError(f"{text} holds no {name if called else ', '.join(sorted(expected))}")


def is_name(text: str) -> bool:
    """Whether a text is the plain name of a distribution, without a version or a path."""
    return _NAME.fullmatch(text) is not None


def checked_version(text: str, option: str) -> Version:
    """The version that an option gives; a usage error where it is none."""
    try:
        return Version(text)
    except InvalidVersion:
        raise usage(f"{option} {text}: no version") from None


def declared_specifier(requires: tuple[str, ...], name: str) -> SpecifierSet | None:
    """What requirement lines say of a library's versions, all taken together; None where nothing."""
    from packaging.requirements import InvalidRequirement, Requirement

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
