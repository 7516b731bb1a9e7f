"""Whether two version specifiers leave any version that meets both."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version


def exclude_each_other(ours: SpecifierSet, theirs: SpecifierSet) -> bool:
    """Whether no version meets both. Asked of the versions that bounds name and of those just beside them."""
    if not len(ours) or not len(theirs):
        return False
    both = ours & theirs
    candidates = list(_candidates(both))
    return bool(candidates) and not any(both.contains(version, prereleases=True) for version in candidates)


def _candidates(specifiers: SpecifierSet) -> Iterator[Version]:
    for one in specifiers:
        text = one.version.removesuffix(".*")
        try:
            version = Version(text)
        except InvalidVersion:
            return
        yield version
        release = list(version.release)
        for place in range(len(release)):
            yield Version(".".join(map(str, [*release[:place], release[place] + 1])))
            if release[place]:
                yield Version(".".join(map(str, [*release[:place], release[place] - 1, 999999])))
        yield Version(".".join(map(str, [*release, 0, 1])))
        yield Version(f"{version.public}.post1") if version.post is None else version
        if version.dev is None and version.pre is None:
            yield Version(f"{version.base_version}rc1")
