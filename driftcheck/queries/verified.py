"""The range of releases on which every use holds, as a specifier, beside the declared one."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from driftcheck.queries.structs import Range


def verified_range(
    versions: Sequence[str],
    verified: Sequence[bool],
    start: int | None,
    newest: bool,
    declared: SpecifierSet | None,
) -> Range:
    """The verified stretch that holds ``start`` (the longest, newest one where there is no such)."""
    stretches = _stretches(verified)
    own = next((s for s in stretches if start is not None and s[0] <= start <= s[1]), None)
    if own is None and start is None and stretches:
        own = stretches[-1]
    others = [words(versions, *stretch) for stretch in stretches if stretch != own]
    fits = [
        None if declared is None else declared.contains(version, prereleases=True) for version in versions
    ]
    return Range(
        verified=None if own is None else words(versions, *own),
        proposed=None if own is None else words(versions, *own, open_end=newest),
        declared=None if declared is None else str(declared),
        others=others,
        too_wide=[v for v, fit, good in zip(versions, fits, verified, strict=True) if fit and not good],
        too_narrow=[
            v for v, fit, good in zip(versions, fits, verified, strict=True) if fit is False and good
        ],
    )


def words(versions: Sequence[str], low: int, high: int, open_end: bool = False) -> str:
    """A stretch as a specifier: below the next release where there is one, else up to the last."""
    first = f">={short(versions[low])}"
    if high + 1 < len(versions):
        return f"{first},<{short(versions[high + 1])}"
    if open_end:
        return first
    return f"=={versions[high]}" if low == high else f"{first},<={short(versions[high])}"


def short(version: str) -> str:
    """A version without the last of three parts where that is zero: 0.12.0 as 0.12."""
    parsed = Version(version)
    if len(parsed.release) == 3 and parsed.release[2] == 0 and version == parsed.base_version:
        return version.removesuffix(".0")
    return version


def _stretches(flags: Sequence[bool]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    begun: int | None = None
    for number, flag in enumerate([*flags, False]):
        if flag and begun is None:
            begun = number
        elif not flag and begun is not None:
            found.append((begun, number - 1))
            begun = None
    return found
