"""The distributions that a Python environment has installed; found by reading, never by importing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from driftcheck.sources.editable import editable_mounts, path_lines
from driftcheck.sources.errors import SourceError
from driftcheck.sources.files import DirectoryFiles, ListedFiles, MountedFiles
from driftcheck.sources.local import open_project
from driftcheck.sources.metadata import (
    IMPORTABLE,
    decode,
    parse_entry_points,
    parse_metadata,
    parse_requires_txt,
    record_paths,
    top_level_names,
)
from driftcheck.sources.names import normalized
from driftcheck.sources.tree import Files, Tree

_ASK = (
    "import json, site, sys, sysconfig; paths = sysconfig.get_paths(); "
    "user = [site.getusersitepackages()] if sys.prefix == sys.base_prefix else []; "
    "print(json.dumps([paths['purelib'], paths['platlib'], *site.getsitepackages(), *user]))"
)


def open_installed(name: str, python: Path | None, spec: str, run_python: bool = True) -> Tree:
    """The tree of the distribution `name` in the environment of `python` (default: the running one).

    `run_python`: see `search_path`. Raises SourceError where it is not installed there, or has no Python files.
    """
    roots = search_path(python, run_python)
    for root in roots:
        for entry in _metadata_directories(root):
            if _directory_name(entry.name) == name:
                return _open(entry, roots, name, spec)
    where = f"the environment of {python}" if python is not None else f"this environment ({sys.prefix})"
    raise SourceError(
        f"{name} is not installed in {where}: name a release ({name}==VERSION, {name}@latest), "
        "a path, or another environment's interpreter with --python"
    )


# Where an environment keeps its packages


def search_path(python: Path | None, run_python: bool = True) -> list[Path]:
    """The directories that an interpreter imports installed packages from.

    Computed from the environment's layout; only where there is none is the interpreter asked, in
    isolated mode and without `site`, and only with `run_python`: what a project's own files name may be
    any program. Raises SourceError where there is no such interpreter.
    """
    if python is None:
        roots = [Path(entry) for entry in sys.path if entry and os.path.isdir(entry)]
    else:
        roots = _environment_roots(python, _ask if run_python else _laid_out)
    found: dict[str, Path] = {}
    for root in roots:
        for place in (root, *path_lines(root)):
            found.setdefault(os.path.normcase(os.path.abspath(place)), place)
    return list(found.values())


def _environment_roots(python: Path, ask: Callable[[Path], list[Path]]) -> list[Path]:
    python = Path(os.path.abspath(python.expanduser()))
    prefix = python if python.is_dir() else python.parent.parent
    if not python.exists():
        raise SourceError(f"no Python interpreter at {python}: give --python the path of one")
    if not (prefix / "pyvenv.cfg").is_file():
        return ask(python if python.is_file() else _interpreter(python))
    roots = _site_packages(prefix)
    settings = _pyvenv(prefix / "pyvenv.cfg")
    if settings.get("include-system-site-packages", "").lower() == "true" and settings.get("home"):
        base = Path(settings["home"])
        for name in ("python3", "python", "python.exe"):
            if (base / name).exists():
                roots += ask(base / name)
                break
    if not roots:
        raise SourceError(f"the environment {prefix} has no site-packages directory")
    return roots


def _site_packages(prefix: Path) -> list[Path]:
    found = [
        place
        for library in ("lib", "lib64")
        for name in ("site-packages", "dist-packages")
        for place in sorted(prefix.glob(f"{library}/python*/{name}"), reverse=True)
    ]
    return found + [place for place in (prefix / "Lib" / "site-packages",) if place.is_dir()]


def _laid_out(python: Path) -> list[Path]:
    """What the directory that an interpreter lies in shows, without running it."""
    found = _site_packages(Path(os.path.realpath(python)).parent.parent)
    if not found:
        raise SourceError(
            f"{python} is named by the configuration and is not run to ask for its packages: "
            "name a virtual environment there, or give --python"
        )
    return found


def _interpreter(prefix: Path) -> Path:
    for name in ("bin/python3", "bin/python", "python.exe", "Scripts/python.exe"):
        if (prefix / name).is_file():
            return prefix / name
    raise SourceError(f"no Python interpreter in {prefix}: give --python the path of one")


def _pyvenv(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _ask(python: Path) -> list[Path]:
    try:
        answer = subprocess.run(
            [str(python), "-I", "-S", "-c", _ASK], capture_output=True, timeout=30, check=True, text=True
        )
        paths = json.loads(answer.stdout)
        return [Path(path) for path in dict.fromkeys(paths) if os.path.isdir(path)]
    except (OSError, subprocess.SubprocessError, ValueError, TypeError) as error:
        raise SourceError(
            f"{python} does not answer as a Python interpreter ({type(error).__name__}): "
            "give --python the path of one"
        ) from error


# One distribution


@dataclass(frozen=True)
class _Distribution:
    """What an installed distribution's metadata directory holds."""

    place: Path
    record: tuple[str, ...]
    tops: tuple[str, ...]
    direct: Mapping[str, Any]


def _metadata_directories(root: Path) -> Iterator[Path]:
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return
    for name in names:
        if name.endswith((".dist-info", ".egg-info", ".egg-link")):
            yield root / name
        elif name.endswith(".egg") and (root / name / "EGG-INFO").is_dir():
            yield root / name


def _directory_name(name: str) -> str:
    stem = name.rpartition(".")[0]
    return normalized(stem.split("-")[0] if not name.endswith(".egg-link") else stem)


def _open(entry: Path, roots: list[Path], name: str, spec: str) -> Tree:
    root = entry.parent
    if entry.suffix == ".egg-link":
        lines = _text(entry).splitlines()
        return _open_checkout(Path(lines[0].strip() if lines else ""), name, spec)
    if entry.suffix == ".egg":
        root, entry = entry, entry / "EGG-INFO"
    dist = _read(entry)
    files, packages = _files(dist, root, name)
    if not packages:
        checkout = _checkout(dist)
        if checkout is None:
            raise SourceError(f"{name} is installed at {root}, but its files cannot be found: reinstall it")
        return _open_checkout(checkout, name, spec)
    info = parse_metadata(_text(entry / "METADATA") or _text(entry / "PKG-INFO") or _file_text(entry))
    return Tree(
        spec=spec,
        files=files,
        packages=packages,
        name=name,
        version=info.version,
        root=str(files.roots[0] if isinstance(files, DirectoryFiles) else root),
        key=f"installed:{root}:{name}=={info.version}",
        requires=info.requires or parse_requires_txt(_text(entry / "requires.txt")),
        entry_points=parse_entry_points(_text(entry / "entry_points.txt")),
    )


def _open_checkout(path: Path, name: str, spec: str) -> Tree:
    if not path.is_dir():
        raise SourceError(f"{name} is installed from {path}, which is not there: reinstall it")
    return open_project(path, spec)


def _read(entry: Path) -> _Distribution:
    record = record_paths(_text(entry / "RECORD"))
    if not record:
        # egg-info of distribution packages: paths relative to the egg-info directory.
        lines = _text(entry / "installed-files.txt").splitlines()
        record = [line.removeprefix("../") for line in lines if line.startswith("../")]
    try:
        direct = json.loads(_text(entry / "direct_url.json") or "{}")
    except (ValueError, RecursionError):
        direct = {}
    tops = tuple(top for top in _text(entry / "top_level.txt").split() if top.isidentifier())
    return _Distribution(entry, tuple(record), tops, direct if isinstance(direct, dict) else {})


def _files(dist: _Distribution, root: Path, name: str) -> tuple[Files, tuple[str, ...]]:
    """The files of a distribution and its top-level names; no names where they are not found."""
    recorded = [path for path in dist.record if path.endswith(IMPORTABLE) and (root / path).is_file()]
    hooks = [path for path in dist.record if "/" not in path and _is_hook(path)]
    own = [path for path in recorded if path not in hooks]
    if hooks:
        mounts = editable_mounts(root, hooks, dist.tops)
        if mounts:
            tops = {path.split("/")[0].split(".")[0] for path in mounts}
            mounts.update({path: root / path for path in own if path.split("/")[0].split(".")[0] not in tops})
            packages = tuple(sorted({path.split("/")[0].split(".")[0] for path in mounts}))
            base = Path(os.path.commonpath([os.path.dirname(os.path.abspath(at)) for at in mounts.values()]))
            return MountedFiles(base, mounts), packages
        if not own:
            return DirectoryFiles([root], ()), ()
    packages = top_level_names(own)
    if packages:
        shared = [top for top in packages if f"{top}/__init__.py" not in own and (root / top).is_dir()]
        if shared:
            # Namespace packages hold other distributions' files too.
            return ListedFiles(root, dict.fromkeys(sorted(own))), packages
        return DirectoryFiles([root], packages, links_out=True), packages
    found = tuple(top for top in dist.tops if (root / top).is_dir() or (root / f"{top}.py").is_file())
    return DirectoryFiles([root], found, links_out=True), found


def _is_hook(path: str) -> bool:
    """Whether a file of site-packages is there to make another place importable."""
    return (
        path.endswith(".pth")
        or path.startswith(("__editable__", "_editable_impl_", "_virtualenv"))
        or (path.startswith("_") and path.endswith(("_editable.py", "_editable_loader.py")))
    )


def _checkout(dist: _Distribution) -> Path | None:
    """The project directory that a distribution was installed from, in place."""
    url, info = dist.direct.get("url"), dist.direct.get("dir_info")
    if not isinstance(url, str) or not isinstance(info, dict) or not info.get("editable"):
        return None
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _text(path: Path) -> str:
    try:
        return decode(path.read_bytes())
    except OSError:
        return ""


def _file_text(path: Path) -> str:
    """An egg-info that is a file, as distutils wrote it."""
    return _text(path) if path.is_file() else ""
