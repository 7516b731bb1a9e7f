"""Which directories of a project become importable, and under which names.

A layout maps import paths (``pkg``, ``namespace/pkg``, ``module.py``) to places on disk. What the
build backend is told comes first, then what it would find by itself. Nothing is built or run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from driftcheck.sources.metadata import IMPORTABLE
from driftcheck.sources.pyproject import (
    FindPackages,
    ProjectFiles,
    cfg_list,
    inside,
    string,
    strings,
    table,
)

Mounts = dict[str, Path]

# What setuptools passes over when it looks for packages beside pyproject.toml by itself.
NOT_PACKAGES = frozenset(
    {
        "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments",
        "changelog", "test", "tests", "unit_test", "unit_tests", "example", "examples", "scripts", "tools",
        "util", "utils", "python", "build", "benchmark", "benchmarks", "exercise", "exercises", "htmlcov",
        "tasks", "site_scons", "csrc", "cmake", "docker", "requirements", "node_modules", "venv", "env",
        "dist",
    }
)  # fmt: skip
NOT_MODULES = frozenset(
    {
        "setup", "conftest", "test", "tests", "example", "examples", "build", "toxfile", "noxfile",
        "pavement", "dodo", "tasks", "fabfile", "sconstruct", "sconscript", "conanfile", "manage",
        "benchmark", "benchmarks", "exercise", "exercises", "versioneer", "hatch_build",
    }
)  # fmt: skip
# How many directories are looked into for a Python file: data directories can be endless.
SEARCHED = 2000
NEVER = frozenset({"build", "dist", "node_modules", "venv", "env", "site-packages"})


def find_mounts(
    project: ProjectFiles, name: str | None, include_tests: bool = False, built: bool = False
) -> Mounts:
    """What the project makes importable; with `include_tests` also its tests, examples and scripts.

    `built` says that it is an unpacked sdist, so that an egg-info is what the build really found.
    """
    mounts: Mounts = {}
    finders = [_setuptools, _hatch, _poetry, _flit, _named_backends, _egg_info, _by_name, _discovered]
    for finder in (_egg_info, *finders) if built else finders:
        mounts = {path: place for path, place in finder(project, name).items() if _holds_python(place)}
        if mounts:
            break
    if include_tests:
        taken = {os.path.realpath(place) for place in mounts.values()}
        for path, place in scan(project.root, {"setup"}).items():
            real = os.path.realpath(place)
            if not any(other == real or other.startswith(real + os.sep) for other in taken):
                mounts.setdefault(path, place)
    return mounts


def scan(directory: Path, skip: Iterable[str] = ()) -> Mounts:
    """Every module and every directory with Python in it right below `directory`."""
    mounts: Mounts = {}
    for entry in sorted(_entries(directory)):
        path = directory / entry
        if path.is_dir():
            if not entry.isidentifier() or entry in NEVER or entry in skip:
                continue
            if (path / "pyvenv.cfg").exists() or inside(directory, entry) is None:
                continue
            if _holds_python(path):
                mounts[entry] = path
        elif entry.endswith(IMPORTABLE) and entry.split(".")[0].isidentifier():
            if entry.split(".")[0] not in skip:
                mounts[entry] = path
    return mounts


def _entries(directory: Path) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _holds_python(path: Path) -> bool:
    """Whether a file is importable, or a directory has an importable file somewhere below it."""
    if not path.is_dir():
        return path.name.endswith(IMPORTABLE) and path.is_file()
    if (path / "__init__.py").is_file():
        return True
    pending = [path]
    for _ in range(SEARCHED):
        if not pending:
            return False
        directory = pending.pop(0)
        for entry in _entries(directory):
            if entry.endswith(IMPORTABLE):
                return True
            if entry.isidentifier() and entry not in NEVER:
                place = directory / entry
                if place.is_dir() and not place.is_symlink():
                    pending.append(place)
    return False


def _mount(mounts: Mounts, path: str, place: Path | None) -> None:
    if path and place is not None:
        if place.is_dir():
            mounts[path] = place
        elif place.is_file():
            mounts[path if path.endswith(place.suffix) else path + place.suffix] = place


# setuptools: pyproject, setup.cfg and setup.py say the same things in three spellings


def _setuptools(project: ProjectFiles, name: str | None) -> Mounts:
    own = project.table("tool", "setuptools")
    stated_places: Iterable[tuple[object, object]] = (
        *_pairs(cfg_list(project.cfg("options", "package_dir"))),
        *table(project.setup_py, "package_dir").items(),
        *table(own, "package-dir").items(),
    )
    directories = {
        key: value for key, value in stated_places if isinstance(key, str) and isinstance(value, str)
    }
    mounts: Mounts = {}
    packages = own.get("packages")
    found: FindPackages | None = None
    listed: list[str] = []
    if isinstance(packages, Mapping):
        options = table(packages, "find")
        found = FindPackages(
            where="",
            include=tuple(strings(options.get("include"))) or ("*",),
            exclude=tuple(strings(options.get("exclude"))),
            namespaces=options.get("namespaces") is not False,
        )
        for where in strings(options.get("where")) or ["."]:
            mounts |= _find(project.root, where, found, directories)
    else:
        listed = strings(packages)
        stated = project.cfg("options", "packages")
        if stated and stated.strip().rstrip(":") in ("find", "find_namespace"):
            section = "options.packages.find"
            found = FindPackages(
                where=(project.cfg(section, "where") or directories.get("", ".")).strip(),
                include=tuple(cfg_list(project.cfg(section, "include"))) or ("*",),
                exclude=tuple(cfg_list(project.cfg(section, "exclude"))),
                namespaces="namespace" in stated,
            )
            mounts |= _find(project.root, found.where, found, directories)
        else:
            listed += cfg_list(stated)
        call = project.setup_py.get("packages")
        if isinstance(call, FindPackages):
            mounts |= _find(project.root, call.where, call, directories)
        else:
            listed += strings(call)
    for package in listed:
        top = package.split(".")[0]
        chosen = package if package in directories else top
        _mount(mounts, chosen.replace(".", "/"), _package_place(project.root, chosen, directories))
    modules = [
        *strings(own.get("py-modules")),
        *cfg_list(project.cfg("options", "py_modules")),
        *strings(project.setup_py.get("py_modules")),
    ]
    for module in modules:
        path = module.replace(".", "/") + ".py"
        _mount(mounts, path, inside(project.root, directories.get("", "."), path))
    return mounts


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, separator, value = line.partition("=")
        if separator:
            yield key.strip(), value.strip()


def _package_place(root: Path, package: str, directories: Mapping[str, str]) -> Path | None:
    if package in directories:
        return inside(root, directories[package])
    return inside(root, directories.get("", "."), *package.split("."))


def _find(root: Path, where: str, find: FindPackages, directories: Mapping[str, str]) -> Mounts:
    base = inside(root, where)
    if base is None:
        return {}
    mounts: Mounts = {}
    for entry in sorted(_entries(base)):
        place = base / entry
        if not entry.isidentifier() or not place.is_dir() or entry in NEVER:
            continue
        if not (find.namespaces or (place / "__init__.py").is_file()):
            continue
        has_parts = any(pattern.startswith(entry + ".") for pattern in find.include)
        if not has_parts and not any(fnmatchcase(entry, pattern) for pattern in find.include):
            continue
        if any(fnmatchcase(entry, pattern) for pattern in find.exclude):
            continue
        if "*" in find.include and find.namespaces and entry in NOT_PACKAGES:
            continue  # a backend told to find everything would package docs/ too; nobody means that
        mounts[entry] = place
    if "" in directories and not mounts and where == ".":
        return _find(root, directories[""], find, {})
    return mounts


# Other backends


def _hatch(project: ProjectFiles, name: str | None) -> Mounts:
    build = project.table("tool", "hatch", "build")
    wheel = table(build, "targets", "wheel")
    mounts: Mounts = {}
    for package in strings(wheel.get("packages")) or strings(build.get("packages")):
        place = inside(project.root, package)
        _mount(mounts, Path(package).name, place)
    sources = wheel.get("sources", build.get("sources"))
    renamed = dict(sources) if isinstance(sources, Mapping) else dict.fromkeys(strings(sources), "")
    chosen = (
        strings(wheel.get("only-include")) or strings(wheel.get("include")) or strings(build.get("include"))
    )
    for pattern in chosen if not mounts else []:
        path = pattern.strip("/").removesuffix("/**").removesuffix("/*").removesuffix("/**/*.py")
        if not path or "*" in path:
            continue
        target = path
        for prefix, new in renamed.items():
            if isinstance(new, str) and (path + "/").startswith(prefix.strip("/") + "/"):
                target = f"{new}/{path[len(prefix.strip('/')) :]}".replace("//", "/").strip("/")
        if target == path and path.startswith("src/"):
            target = path.removeprefix("src/")
        _mount(mounts, target, inside(project.root, path))
    forced = table(wheel, "force-include") or table(build, "force-include")
    for source, target in forced.items():
        if mounts and isinstance(target, str) and target.endswith(".py") and isinstance(source, str):
            _mount(mounts, target.strip("/"), inside(project.root, source))
    return mounts


def _poetry(project: ProjectFiles, name: str | None) -> Mounts:
    mounts: Mounts = {}
    packages = project.table("tool", "poetry").get("packages")
    for item in packages if isinstance(packages, list) else []:
        include = string(table(item).get("include"))
        if include is None:
            continue
        include = include.strip("/").removesuffix("/**/*").removesuffix("/**").removesuffix("/*")
        if include and "*" not in include:
            place = inside(project.root, string(item.get("from")) or ".", include)
            _mount(mounts, "/".join(filter(None, (string(item.get("to")), include))), place)
    return mounts


def _flit(project: ProjectFiles, name: str | None) -> Mounts:
    module = string(project.table("tool", "flit", "module").get("name")) or string(
        project.table("tool", "flit", "metadata").get("module")
    )
    return _module(project.root, module, ("src", "."))


def _named_backends(project: ProjectFiles, name: str | None) -> Mounts:
    uv = project.table("tool", "uv", "build-backend")
    mounts: Mounts = {}
    root = uv.get("module-root")
    for module in strings(uv.get("module-name")):
        mounts |= _module(project.root, module, (root,) if isinstance(root, str) else ("src", "."))
    maturin = project.table("tool", "maturin")
    source = string(maturin.get("python-source"))
    for module in strings(maturin.get("python-packages")) or strings(maturin.get("module-name")):
        mounts |= _module(project.root, module.split(".")[0], (source,) if source else (".", "python", "src"))
    for package in strings(project.table("tool", "scikit-build", "wheel").get("packages")):
        _mount(mounts, Path(package).name, inside(project.root, package))
    pdm = string(project.table("tool", "pdm", "build").get("package-dir")) or string(
        project.table("tool", "pdm").get("package-dir")
    )
    if pdm is not None and not mounts:
        place = inside(project.root, pdm)
        mounts |= scan(place, NOT_PACKAGES | NOT_MODULES) if place is not None else {}
    return mounts


def _egg_info(project: ProjectFiles, name: str | None) -> Mounts:
    """What setuptools wrote down when it last built the project."""
    mounts: Mounts = {}
    for base in (project.root, project.root / "src", project.root / "lib", project.root / "python"):
        for entry in _entries(base):
            if not entry.endswith(".egg-info"):
                continue
            try:
                tops = (base / entry / "top_level.txt").read_text("utf-8", "replace").split()
            except OSError:
                continue
            for top in tops:
                mounts |= _module(project.root, top, (str(base.relative_to(project.root)), "src", "."))
    return mounts


def _by_name(project: ProjectFiles, name: str | None) -> Mounts:
    """The package called as the project: what hatch, flit, poetry, pdm and uv look for."""
    if name is None:
        return {}
    module = name.replace("-", "_").replace(".", "_")
    places = ("src", ".", "python", "lib")
    mounts = _module(project.root, module, places) or _module(project.root, module.lower(), places)
    if not mounts:
        return {}
    backend = string(project.table("build-system").get("build-backend")) or "setuptools"
    if not backend.startswith(("setuptools", "pdm")):
        return mounts
    # These two take whatever lies beside it as well.
    place = next(iter(mounts.values()))
    if place.parent.name in ("src", "lib", "python") and place.parent != project.root:
        return scan(place.parent, NOT_MODULES) | mounts
    siblings = scan(project.root, NOT_PACKAGES | NOT_MODULES)
    packages = {path: at for path, at in siblings.items() if (at / "__init__.py").is_file()}
    return packages | mounts


def _discovered(project: ProjectFiles, name: str | None) -> Mounts:
    for base in ("src", "python", "lib"):
        mounts = scan(project.root / base, NOT_MODULES)
        if mounts:
            return mounts
    mounts = scan(project.root, NOT_PACKAGES | NOT_MODULES)
    packages = {path: place for path, place in mounts.items() if (place / "__init__.py").is_file()}
    return packages or mounts or scan(project.root, {"setup"})


def _module(root: Path, module: str | None, bases: Iterable[str]) -> Mounts:
    if not module:
        return {}
    path = module.replace(".", "/")
    for base in bases:
        mounts: Mounts = {}
        place = inside(root, base, path)
        if place is not None and place.is_dir() and _holds_python(place):
            _mount(mounts, path, place)
        else:
            _mount(mounts, path + ".py", inside(root, base, path + ".py"))
        if mounts:
            return mounts
    return {}
