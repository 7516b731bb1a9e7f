"""What ``.pth`` files and editable finders of site-packages point at; parsed, never run."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from driftcheck.sources.layout import Mounts, scan
from driftcheck.sources.metadata import decode


def path_lines(root: Path) -> Iterator[Path]:
    """The existing directories that the ``.pth`` files of a site-packages directory add."""
    try:
        names = sorted(name for name in os.listdir(root) if name.endswith(".pth"))
    except OSError:
        return
    for name in names:
        yield from pth_directories(root / name)


def pth_directories(path: Path) -> Iterator[Path]:
    """The existing directories that one ``.pth`` file adds; lines that would be executed are not."""
    for line in _text(path).splitlines():
        line = line.rstrip()
        if not line or line.startswith(("#", "import ", "import\t")) or "\0" in line:
            continue
        place = path.parent / line
        if place.is_dir():
            yield Path(os.path.normpath(place))


def editable_mounts(root: Path, hooks: Iterable[str], tops: Iterable[str]) -> Mounts:
    """What a distribution's hooks in `root` make importable; `tops` are its known top-level names."""
    mounts: Mounts = {}
    hooks = list(hooks)
    for hook in hooks:
        if hook.endswith(".py"):
            mounts.update(_finder_mounts(root / hook))
            continue
        for module in _hook_modules(root / hook):
            if f"{module}.py" not in hooks:
                mounts.update(_finder_mounts(root / f"{module}.py"))
        for directory in pth_directories(root / hook):
            available = scan(directory)
            named = {path: place for path, place in available.items() if path.split(".")[0] in set(tops)}
            mounts.update(named or _packages_below(directory, available))
    return mounts


def _packages_below(directory: Path, available: Mounts) -> Mounts:
    """What a directory on the path offers, where nothing says which names belong to the project."""
    from driftcheck.sources.facts import project_name
    from driftcheck.sources.layout import find_mounts
    from driftcheck.sources.pyproject import read_project_files

    for place in (directory, directory.parent):
        project = read_project_files(place)
        if project.pyproject or project.setup_py or project.setup_cfg.sections():
            mounts = find_mounts(project, project_name(project))
            return {path: at for path, at in mounts.items() if at.is_relative_to(directory)} or available
    return available


def _hook_modules(path: Path) -> list[str]:
    """The modules that a ``.pth`` file's import lines name."""
    return re.findall(r"^import[ \t]+([A-Za-z_]\w*)", _text(path), re.MULTILINE)


def _finder_mounts(path: Path) -> Mounts:
    """The mapping that a finder module holds as literals.

    Known spellings: setuptools' ``MAPPING = {name: path}``, editables' ``map_module(name, path)``,
    scikit-build-core's ``install({module: path}, …)``.
    """
    try:
        module = ast.parse(_text(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == "MAPPING" for target in targets):
                found.update(_pairs(_literal(node.value)))
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            arguments = [_literal(argument) for argument in node.args]
            if called == "map_module" and len(arguments) == 2:
                found.update(_pairs({arguments[0]: arguments[1]} if isinstance(arguments[0], str) else {}))
            elif called == "install" and arguments:
                found.update(_pairs(arguments[0]))
    return _as_mounts(found)


def _as_mounts(found: dict[str, str]) -> Mounts:
    mounts: Mounts = {}
    for name, text in found.items():
        place = Path(text)
        parts = name.replace(".", "/")
        if place.name == "__init__.py":
            place = place.parent
        if not place.is_absolute() or not place.exists():
            place = place.with_name(place.name + ".py")
        if place.is_absolute() and place.exists() and all(part.isidentifier() for part in parts.split("/")):
            mounts[parts if place.is_dir() else parts + place.suffix] = place
    # A package's own modules come with it.
    return {
        path: place
        for path, place in mounts.items()
        if not any(path.startswith(other + "/") and _below(place, mounts[other]) for other in mounts)
    }


def _below(place: Path, directory: Path) -> bool:
    return directory.is_dir() and place.is_relative_to(directory)


def _literal(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _pairs(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in value.items() if isinstance(key, str) and isinstance(item, str)}


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes())
    except OSError:
        return ""
