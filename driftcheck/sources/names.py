"""Names of distributions and of their archives."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

SDIST_SUFFIXES = (".tar.gz", ".zip", ".tgz", ".tar.bz2", ".tar.xz")

_WHEEL = re.compile(r"(?P<name>[^\s-]+)-(?P<version>[^\s-]+)(?:-\d[^\s-]*)?-[^\s-]+-[^\s-]+-[^\s-]+\.whl")


def normalized(name: str) -> str:
    """A distribution's name as indexes spell it: lower case, runs of ``-_.`` as one ``-``.

    As packaging's `canonicalize_name`, whose module takes longer to import than a cached release
    takes to open; likewise below.
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def parse_filename(filename: str) -> tuple[str, Version, str] | None:
    """(normalised name, version, ``wheel`` or ``sdist``) of an archive's name; None if it is neither."""
    kind = "sdist"
    if filename.endswith(".whl"):
        match = _WHEEL.fullmatch(filename)
        if match is None:
            return None
        name, version, kind = match["name"], match["version"], "wheel"
    else:
        suffix = next((suffix for suffix in SDIST_SUFFIXES if filename.endswith(suffix)), None)
        if suffix is None:
            return None
        name, _, version = filename.removesuffix(suffix).rpartition("-")
    try:
        return (normalized(name), Version(version.replace("_", "+")), kind) if name else None
    except InvalidVersion:
        return None


def file_version(filename: str) -> Version | None:
    """The version that an archive's name states; None where it states none."""
    parsed = parse_filename(filename)
    return None if parsed is None else parsed[1]
