"""What is asked of a run, and which versions of which libraries that means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from driftcheck.engine.config import Config, Provider
from driftcheck.sources.errors import usage
from driftcheck.sources.names import normalized
from driftcheck.sources.tree import Tree

if TYPE_CHECKING:
    from driftcheck.fixes import Style


@dataclass(frozen=True)
class Request:
    """The options of ``check``, as far as they decide what is found.

    ``against`` and ``known_good`` may each be several; without ``against`` the configuration's
    providers are asked about. ``overlay`` maps consumer files to bytes that stand in for those on
    disk (an editor's unsaved text). ``baseline`` takes the place of the configuration's;
    ``use_baseline`` says whether either is heard. ``ranges``: look also at every release that the
    consumer's metadata admits.
    """

    consumers: tuple[str, ...]
    against: str | tuple[str, ...] | None = None
    known_good: str | tuple[str, ...] | None = None
    python: Path | None = None
    include_tests: bool = False
    use_cache: bool = True
    refresh: bool = False
    no_contracts: bool = False
    rules: tuple[Path, ...] = ()
    config: Path | None = None
    isolated: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    baseline: Path | None = None
    use_baseline: bool = True
    since: str | None = None
    staged: bool = False
    fix_style: Style | None = None
    ranges: bool = False
    overlay: Mapping[Path, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One provider to ask about: the spec of the target, and what is said of a known-good version.

    ``name`` is the configuration's name for it, and ``place`` where it stands there.
    """

    target: str
    known_good: str | None = None
    name: str | None = None
    place: tuple[Path, int] | None = None


def many(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """One word, several, or none, as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value or ())


def asked_providers(request: Request, config: Config) -> list[Asked]:
    """The providers that a request means under a configuration. Raises SourceError where it means none."""
    against = many(request.against)
    if against:
        return [_given(text, config, request) for text in against]
    providers = config.settings.providers
    if not providers:
        raise usage(
            "Missing option '--against': the provider version asked about "
            "(or [tool.driftcheck.providers] in pyproject.toml)"
        )
    return [_configured(name, config, request, len(providers)) for name in providers]


def known_good_spec(given: str, target: Tree) -> str | None:
    """The spec that ``--known-good`` means: X and a range are of the target's name; None for ``none``.

    Raises SourceError for another library's release, and for a bare version of a nameless target.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    if given == "none":
        return None
    if "/" in given or given.startswith(".") or given.endswith((".whl", ".tar.gz", ".zip")):
        return given
    if given[:1] in "<>=~!" or _is_version(given):
        if target.name is None:
            raise usage(f"--known-good {given}: {target.spec} has no name to look that version up by")
        return f"{target.name}{given}" if given[0] in "<>=~!" else f"{target.name}=={given}"
    if Path(given).expanduser().exists():
        return given
    try:
        name = Requirement(given.replace("@latest", "")).name
    except InvalidRequirement:
        raise usage(f"--known-good {given}: allowed: X, name==X, a path, or none") from None
    if target.name is not None and normalized(name) != normalized(target.name):
        raise usage(f"--known-good {given}: another library than {target.name}, the one asked about")
    return given


def _given(text: str, config: Config, request: Request) -> Asked:
    """What ``--against`` says; a bare version is of the one library that the configuration has."""
    names = list(config.settings.providers)
    name = names[0] if len(names) == 1 and _is_version(text) else None
    spec = f"{name}=={text}" if name else text
    return Asked(spec, _known_good_for(spec, request, config), name)


def _configured(name: str, config: Config, request: Request, count: int) -> Asked:
    said = config.settings.providers[name]
    wish = Provider(said) if isinstance(said, str) else said
    line = config.line_of("providers", name)
    place = (config.path, line or 1) if config.path is not None else None
    target = _target_spec(name, wish.target, config.root)
    return Asked(target, _known_good_for(target, request, config, name, count), name, place)


def _known_good_for(
    target: str, request: Request, config: Config, name: str | None = None, count: int | None = None
) -> str | None:
    """What the command line says of this provider, else the configuration."""
    given = many(request.known_good)
    count = len(many(request.against)) if count is None else count
    name = name or _name_in(target)
    if count <= 1 and len(given) > 1:
        raise usage("--known-good is given more than once, for one provider")
    if count <= 1 and given:
        return given[0]
    for one in given:
        if one == "none":
            return one
        if _is_version(one) or one[:1] in "<>=~!":
            raise usage(f"--known-good {one}: of which provider? write name=={one.lstrip('=')}")
        if name is not None and normalized(_name_in(one) or "") == normalized(name):
            return one
    return configured_known_good(name, config)


def configured_known_good(name: str | None, config: Config) -> str | None:
    """What the configuration says of the known-good version of a library."""
    for other, said in config.settings.providers.items():
        if name is not None and normalized(other) == normalized(name) and isinstance(said, Provider):
            return _placed(said.known_good, config.root) if said.known_good else None
    return None


def _target_spec(name: str, said: str | None, root: Path) -> str:
    """The spec that a configuration's target means: a version, a range, latest, installed, or a spec."""
    if said is None or said == "installed":
        return name
    if said == "latest":
        return f"{name}@latest"
    if said[:1] in "<>=~!":
        return f"{name}{said}"
    return f"{name}=={said}" if _is_version(said) else _placed(said, root)


def _placed(text: str, root: Path) -> str:
    """A path as seen from here; any other spec as it is."""
    looks_like_path = text.startswith((".", "/", "~")) or ("/" in text and "@" not in text)
    return str(root / Path(text).expanduser()) if looks_like_path else text


def _name_in(spec: str) -> str | None:
    """The library that a spec names; None for a path."""
    from driftcheck.sources.errors import SourceError
    from driftcheck.sources.spec import InstalledSpec, ReleaseSpec, parse_spec

    try:
        parsed = parse_spec(spec)
    except SourceError:
        return None
    return parsed.name if isinstance(parsed, ReleaseSpec | InstalledSpec) else None


def _is_version(text: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
