"""Trees from paths: a project directory, a package, a plain directory of sources, one file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from driftcheck.sources.errors import SourceError
from driftcheck.sources.facts import project_metadata, project_name
from driftcheck.sources.files import DirectoryFiles, MountedFiles
from driftcheck.sources.layout import Mounts, find_mounts, scan
from driftcheck.sources.metadata import Metadata, decode, parse_entry_points, parse_metadata
from driftcheck.sources.names import normalized
from driftcheck.sources.pyproject import PROJECT_FILES, ProjectFiles, read_project_files
from driftcheck.sources.tree import Tree

Report = Callable[[str], None]


def open_path(path: Path, spec: str, *, include_tests: bool = False, report: Report | None = None) -> Tree:
    """The tree at a path; `spec` is how the user spelled it.

    A file, or a package inside others, gives the tree of the whole top-level package with
    ``only`` naming the part. Raises SourceError where there is no Python to read.
    """
    path = Path(os.path.abspath(path))
    if not path.is_dir():
        return _open_part(path, spec, report)
    if is_project(path):
        return open_project(path, spec, include_tests=include_tests, report=report)
    if (path / "__init__.py").is_file():
        return _open_part(path, spec, report)
    mounts = scan(path)
    if not mounts:
        raise SourceError(f"no Python file in {spec}")
    return Tree(
        spec=spec,
        files=DirectoryFiles([path], _top_level(mounts)),
        packages=_top_level(mounts),
        root=str(path),
        key=f"path:{path}",
        **(_unpacked_wheel(path) or _stated(_enclosing(path), report)),
    )


def is_project(path: Path) -> bool:
    """Whether a directory is the root of a project."""
    return any((path / name).is_file() for name in (*PROJECT_FILES, "PKG-INFO"))


def open_project(path: Path, spec: str, *, include_tests: bool = False, report: Report | None = None) -> Tree:
    """The tree of what a project directory would install; SourceError where that is nothing."""
    project = read_project_files(path)
    _tell(project, report)
    mounts = find_mounts(project, project_name(project), include_tests)
    if not mounts:
        raise SourceError(f"no Python package or module found in the project {spec}")
    info = project_metadata(project, mounts.values())
    root = import_root(mounts)
    return Tree(
        spec=spec,
        files=MountedFiles(path, mounts) if root is None else DirectoryFiles([root], _top_level(mounts)),
        packages=_top_level(mounts),
        name=info.name,
        version=info.version,
        root=str(root or path),
        key=f"path:{path}",
        requires=info.requires,
        entry_points=info.entry_points,
    )


def import_root(mounts: Mounts) -> Path | None:
    """The one directory below which every mount lies at its own import path, if there is one."""
    roots = set()
    for path, place in mounts.items():
        if "/" in path or place.name != path or place.is_symlink():
            return None
        roots.add(place.parent)
    return roots.pop() if len(roots) == 1 else None


def _top_level(mounts: Mounts) -> tuple[str, ...]:
    return tuple(sorted({path.split("/")[0].split(".")[0] for path in mounts}))


def _open_part(path: Path, spec: str, report: Report | None) -> Tree:
    root = path.parent
    while (root / "__init__.py").is_file() and root.name.isidentifier() and root != root.parent:
        root = root.parent
    parts = path.relative_to(root).parts
    top = parts[0].split(".")[0]
    if not path.is_dir() and not os.access(path, os.R_OK):
        raise SourceError(f"cannot read {spec}: permission denied")
    part = "/".join(parts)
    files: DirectoryFiles | MountedFiles = DirectoryFiles([root], [top])
    if len(parts) == 1 and not path.is_dir():
        # A script: its neighbours are none of its business, whatever they are called.
        files = MountedFiles(root, {path.name: path})
    only = () if len(parts) == 1 else (part + "/" if path.is_dir() else part,)
    return Tree(
        spec=spec,
        files=files,
        packages=(top,),
        root=str(root),
        key=f"path:{path}",
        only=only,
        **_stated(_enclosing(root), report),
    )


def _enclosing(path: Path) -> Path | None:
    """The project that a directory belongs to: the nearest above it, inside the same checkout."""
    for directory in (path, *path.parents):
        if is_project(directory):
            return directory
        if (directory / ".git").exists() or directory == Path.home():
            return None
    return None


def _stated(project_root: Path | None, report: Report | None) -> dict[str, Any]:
    info = Metadata()
    if project_root is not None:
        project = read_project_files(project_root)
        _tell(project, report)
        mounts = find_mounts(project, project_name(project))
        info = project_metadata(project, mounts.values())
    return {
        "name": info.name,
        "version": info.version,
        "requires": info.requires,
        "entry_points": info.entry_points,
    }


def _unpacked_wheel(path: Path) -> dict[str, Any]:
    """What the one dist-info directory in `path` states; empty where there is none or several."""
    found = sorted(path.glob("*.dist-info/METADATA"))
    if len(found) != 1:
        return {}
    try:
        info = parse_metadata(decode(found[0].read_bytes()))
        points = found[0].with_name("entry_points.txt")
        entry_points = parse_entry_points(decode(points.read_bytes())) if points.is_file() else {}
    except OSError:
        return {}
    return {
        "name": normalized(info.name) if info.name else None,
        "version": info.version,
        "requires": info.requires,
        "entry_points": entry_points,
    }


def _tell(project: ProjectFiles, report: Report | None) -> None:
    if report is not None:
        for problem in project.problems:
            report(problem)
