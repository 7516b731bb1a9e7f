"""What a spec string asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.sources.errors import SourceError, usage
from driftcheck.sources.names import normalized

ARCHIVE_SUFFIXES = (".whl", ".tar.gz", ".tgz", ".zip", ".tar.bz2", ".tar.xz")

FORMS = "write name==X, 'name>=X,<Y', name@latest, name (installed), a path, a wheel or an sdist file"

_NAME = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[A-Za-z0-9._,\s-]*\])?\s*"
    r"(?P<rest>[=<>!~@].*)?",
    re.DOTALL,
)


@dataclass(frozen=True)
class ReleaseSpec:
    """A release on the index: the one named, or the highest that fits."""

    name: str
    specifiers: SpecifierSet

    @property
    def exact(self) -> str | None:
        """The version, where exactly one is named."""
        return exact_version(self.specifiers)


@dataclass(frozen=True)
class InstalledSpec:
    """The distribution that an environment has installed."""

    name: str


@dataclass(frozen=True)
class PathSpec:
    """A package directory, a project directory or one Python file."""

    path: Path


@dataclass(frozen=True)
class ArchiveSpec:
    """A wheel or sdist file."""

    path: Path


Spec = ReleaseSpec | InstalledSpec | PathSpec | ArchiveSpec


def parse_spec(text: str) -> Spec:
    """What `text` asks for; an existing path wins over an installed name.

    Raises SourceError: exit status 2 for text of no known form, 3 for a path that is not there.
    """
    text = text.strip()
    if not text:
        raise usage(f"an empty spec: {FORMS}")
    if not text.isprintable():
        raise usage(f"a spec with unprintable characters, {text!r}: {FORMS}")
    path = _existing_path(text)
    if path is not None:
        if path.is_dir() or path.suffix == ".py":
            return PathSpec(path)
        if path.name.lower().endswith(ARCHIVE_SUFFIXES):
            return ArchiveSpec(path)
        raise usage(f"{text} is neither a directory, a .py file, a wheel nor an sdist: {FORMS}")
    if _looks_like_path(text):
        raise SourceError(f"no such file or directory: {text}")
    match = _NAME.fullmatch(text)
    if match is None:
        raise usage(f"cannot read the spec {text!r}: {FORMS}")
    name, rest = normalized(match["name"]), match["rest"]
    if rest is None:
        return InstalledSpec(name)
    if rest.startswith("@"):
        if rest[1:].strip() != "latest":
            raise usage(f"cannot read the spec {text!r}: after @ only 'latest' can stand; {FORMS}")
        return ReleaseSpec(name, SpecifierSet())
    try:
        return ReleaseSpec(name, SpecifierSet(rest))
    except (InvalidSpecifier, InvalidVersion):
        raise usage(f"{rest!r} in the spec {text!r} is no version or version range: {FORMS}") from None


def release_text(text: str, name: str) -> str:
    """The spec for what ``--known-good`` or ``--keep`` gives: ``X`` or a whole spec.

    A bare version becomes ``name==X``; anything else is returned as it is.
    """
    try:
        Version(text.strip())
    except InvalidVersion:
        return text
    return f"{name}=={text.strip()}"


def exact_version(specifiers: SpecifierSet) -> str | None:
    """The version that ``==X`` or ``===X`` names among `specifiers`, without wildcards; else None."""
    for specifier in specifiers:
        if specifier.operator in ("==", "===") and not specifier.version.endswith(".*"):
            return specifier.version
    return None


def _existing_path(text: str) -> Path | None:
    try:
        path = Path(text).expanduser()
        return path.absolute() if path.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _looks_like_path(text: str) -> bool:
    return (
        "/" in text.split("@")[0]
        or "\\" in text
        or text.startswith((".", "~"))
        or text.lower().endswith((*ARCHIVE_SUFFIXES, ".py"))
    )
