"""What a project directory says about itself: name, version, requirements, entry points."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from driftcheck.sources.metadata import (
    EntryPoints,
    Metadata,
    entry_point_lines,
    parse_entry_points,
    parse_metadata,
    parse_requirements_txt,
    parse_requires_txt,
    with_marker,
)
from driftcheck.sources.names import normalized
from driftcheck.sources.pyproject import (
    ProjectFiles,
    cfg_lines,
    inside,
    read_text,
    string,
    strings,
    table,
)

VERSION_FILES = ("_version.py", "version.py", "__version__.py", "__about__.py", "__init__.py")


def project_name(project: ProjectFiles) -> str | None:
    """The distribution's name, normalised; None where nothing states it."""
    name = (
        string(project.table("project").get("name"))
        or string(project.table("tool", "poetry").get("name"))
        or project.cfg("metadata", "name")
        or string(project.setup_py.get("name"))
        or string(project.table("tool", "flit", "metadata").get("module"))
        or _built_metadata(project.root).name
    )
    return normalized(name.strip()) if name and name.strip() else None


def project_metadata(project: ProjectFiles, packages: Iterable[Path]) -> Metadata:
    """Name, version, requirements and entry points, as far as they stand there as data.

    `packages` are the places of the project's packages, where a version file may lie.
    """
    built = _built_metadata(project.root)
    dynamic = strings(project.table("project").get("dynamic"))
    requires = [*_pep621_requires(project), *_poetry_requires(project), *_setuptools_requires(project)]
    if not requires or "dependencies" in dynamic or "optional-dependencies" in dynamic:
        requires += [line for line in built.requires if line not in requires]
    return Metadata(
        name=project_name(project),
        version=_version(project, built, packages),
        requires=tuple(dict.fromkeys(requires)),
        entry_points=_entry_points(project) or built.entry_points,
    )


def _built_metadata(root: Path) -> Metadata:
    """What a build left behind: PKG-INFO of an sdist, an egg-info directory."""
    places = [root]
    for base in (root, root / "src"):
        try:
            places += sorted(base.glob("*.egg-info"))
        except OSError:
            continue
    found = Metadata()
    for place in places:
        info = parse_metadata(_text(place / "PKG-INFO"))
        found = Metadata(
            found.name or info.name,
            found.version or info.version,
            found.requires or info.requires or parse_requires_txt(_text(place / "requires.txt")),
            found.entry_points or parse_entry_points(_text(place / "entry_points.txt")),
        )
    return found


def _text(path: Path) -> str:
    try:
        return read_text(path) or ""
    except (OSError, ValueError):
        return ""


def _version(project: ProjectFiles, built: Metadata, packages: Iterable[Path]) -> str | None:
    sdist = parse_metadata(_text(project.root / "PKG-INFO")).version
    stated = (
        string(project.table("project").get("version"))
        or string(project.table("tool", "poetry").get("version"))
        or project.cfg("metadata", "version")
        or string(project.setup_py.get("version"))
    )
    for candidate in (sdist, stated):
        if candidate and _is_version(candidate):
            return candidate.strip()
    named = string(project.table("tool", "hatch", "version").get("path"))
    place = inside(project.root, named) if named else None
    files = [] if place is None else [place]
    files += [place / name for place in packages if place.is_dir() for name in VERSION_FILES]
    for file in files:
        literal = version_literal(_text(file))
        if literal is not None:
            return literal
    return built.version if built.version and _is_version(built.version) else None


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def version_literal(text: str) -> str | None:
    """The string that a module assigns to ``__version__`` or ``version``; never executed."""
    if "ersion" not in text and "VERSION" not in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in module.body:
        if isinstance(node, ast.Assign):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if names & {"__version__", "version", "VERSION"} and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str) and _is_version(node.value.value):
                return node.value.value
    return None


def _extra(extra: object) -> str:
    return f'extra == "{normalized(str(extra))}"'


def _pep621_requires(project: ProjectFiles) -> list[str]:
    own = project.table("project")
    found = strings(own.get("dependencies"))
    for extra, lines in table(own, "optional-dependencies").items():
        found += [with_marker(line, _extra(extra)) for line in strings(lines)]
    dynamic = project.table("tool", "setuptools", "dynamic")
    found += _from_files(project.root, dynamic.get("dependencies"))
    for extra, value in table(dynamic, "optional-dependencies").items():
        found += [with_marker(line, _extra(extra)) for line in _from_files(project.root, value)]
    return found


def _from_files(root: Path, value: object) -> list[str]:
    found: list[str] = []
    for name in strings(table(value).get("file")):
        path = inside(root, name)
        if path is not None:
            found += parse_requirements_txt(_text(path))
    return found


def _setuptools_requires(project: ProjectFiles) -> list[str]:
    found = cfg_lines(project.cfg("options", "install_requires"))
    section = "options.extras_require"
    if project.setup_cfg.has_section(section):
        for extra, value in project.setup_cfg.items(section):
            found += [with_marker(line, _extra(extra)) for line in cfg_lines(value)]
    found += strings(project.setup_py.get("install_requires"))
    for extra, lines in table(project.setup_py, "extras_require").items():
        found += [with_marker(line, _extra(extra)) for line in strings(lines)]
    return found


def _poetry_requires(project: ProjectFiles) -> list[str]:
    own = project.table("tool", "poetry")
    optional: dict[str, str] = {}
    for extra, names in table(own, "extras").items():
        optional.update({normalized(name): _extra(extra) for name in strings(names)})
    found = []
    for name, value in table(own, "dependencies").items():
        if name == "python":
            continue
        for item in value if isinstance(value, list) else [value]:
            line = _poetry_line(name, item)
            if line is not None:
                found.append(with_marker(line, optional.get(normalized(name), "")))
    return found


def _poetry_line(name: str, value: Any) -> str | None:
    if isinstance(value, Mapping):
        line = _poetry_line(name, string(value.get("version")) or "*")
        return None if line is None else with_marker(line, string(value.get("markers")) or "")
    if not isinstance(value, str):
        return None
    parts = [_poetry_constraint(part.strip()) for part in value.split(",")]
    return name + ",".join(part for part in parts if part)


def _poetry_constraint(text: str) -> str:
    """A caret, tilde or wildcard constraint in PEP 440's words."""
    if text in ("", "*"):
        return ""
    match = re.fullmatch(r"([\^~])\s*([0-9]+(?:\.[0-9]+)*)(.*)", text)
    if match is None or text.startswith("~="):
        return text if text[0] in "<>=!~" else f"=={text}"
    sign, release, rest = match.groups()
    numbers = [int(part) for part in release.split(".")]
    if sign == "~":
        kept = 1 if len(numbers) == 1 else 2
    else:
        kept = next((at + 1 for at, number in enumerate(numbers) if number), len(numbers))
    upper = numbers[:kept]
    upper[-1] += 1
    return f">={release}{rest},<{'.'.join(map(str, upper))}"


def _entry_points(project: ProjectFiles) -> EntryPoints:
    own = project.table("project")
    groups: EntryPoints = {}
    for key, group in (("scripts", "console_scripts"), ("gui-scripts", "gui_scripts")):
        _add(groups, group, table(own, key))
    for group, entries in table(own, "entry-points").items():
        _add(groups, group, table(entries))
    poetry = project.table("tool", "poetry")
    _add(groups, "console_scripts", table(poetry, "scripts"))
    for group, entries in table(poetry, "plugins").items():
        _add(groups, group, table(entries))
    section = "options.entry_points"
    lines: dict[str, Iterable[str]] = {}
    if project.setup_cfg.has_section(section):
        lines = {group: cfg_lines(value) for group, value in project.setup_cfg.items(section)}
    for group, value in table(project.setup_py, "entry_points").items():
        lines[group] = strings(value)
    for group, entries in entry_point_lines(lines).items():
        _add(groups, group, entries)
    return groups


def _add(groups: EntryPoints, group: str, entries: Mapping[str, Any]) -> None:
    for name, value in entries.items():
        if isinstance(value, str):
            groups.setdefault(group, {})[name] = value
