"""Reading pyproject.toml, setup.cfg and setup.py as data; a wrong type reads as absent."""

from __future__ import annotations

import ast
import configparser
import os
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftcheck.sources.metadata import decode, read_ini

MAX_SIZE = 4 << 20


@dataclass(frozen=True)
class ProjectFiles:
    """What a project directory's configuration files hold."""

    root: Path
    pyproject: Mapping[str, Any] = field(default_factory=dict)
    setup_cfg: configparser.RawConfigParser = field(default_factory=configparser.RawConfigParser)
    setup_py: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def table(self, *keys: str) -> Mapping[str, Any]:
        """The pyproject table at `keys`; empty where there is none."""
        return table(self.pyproject, *keys)

    def cfg(self, section: str, key: str) -> str | None:
        """A value of setup.cfg; either spelling of a dashed key."""
        for spelling in (key, key.replace("_", "-")):
            if self.setup_cfg.has_option(section, spelling):
                return self.setup_cfg.get(section, spelling)
        return None


PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


def read_project_files(root: Path) -> ProjectFiles:
    """Read a project directory's configuration; `problems` says what could not be read."""
    problems: list[str] = []
    pyproject: Mapping[str, Any] = {}
    setup_cfg = configparser.RawConfigParser()
    setup_py: Mapping[str, Any] = {}
    for name in PROJECT_FILES:
        try:
            text = read_text(root / name)
            if text is None:
                continue
            if name == "pyproject.toml":
                pyproject = tomllib.loads(text)
            elif name == "setup.cfg":
                setup_cfg = read_ini(text)
            else:
                setup_py = setup_arguments(text)
        except (OSError, ValueError, RecursionError, MemoryError, SyntaxError) as error:
            reason = str(error).partition("\n")[0][:200] or type(error).__name__
            problems.append(f"{root / name} cannot be read: {reason}")
    return ProjectFiles(root, pyproject, setup_cfg, setup_py, tuple(problems))


def read_text(path: Path) -> str | None:
    """A configuration file's text; None where there is no such regular file.

    Raises OSError where it cannot be read, ValueError where it is too large.
    """
    if not path.is_file():
        return None
    with path.open("rb") as file:
        data = file.read(MAX_SIZE + 1)
    if len(data) > MAX_SIZE:
        raise ValueError(f"larger than {MAX_SIZE >> 20} MB")
    return decode(data)


def inside(root: Path, *parts: str) -> Path | None:
    """A place named by configuration; None where it leads out of the project or is no path here."""
    place = root.joinpath(*parts)
    try:
        real, base = os.path.realpath(place), os.path.realpath(root)
        os.stat(place)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError):  # a NUL byte, a name that is too long, a loop of links
        return None
    return place if real == base or real.startswith(base.rstrip(os.sep) + os.sep) else None


def table(data: object, *keys: str) -> Mapping[str, Any]:
    """The mapping at `keys` in nested mappings; empty where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def strings(value: object) -> list[str]:
    """The strings in a list, or one string alone; empty for anything else."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [item for item in value if isinstance(item, str)]
    return []


def string(value: object) -> str | None:
    """`value` where it is a string that says something."""
    return value if isinstance(value, str) and value.strip() else None


def cfg_list(value: str | None) -> list[str]:
    """A setup.cfg list, by lines or commas."""
    text = value or ""
    return [item.strip() for item in (text.splitlines() if "\n" in text else text.split(",")) if item.strip()]


def cfg_lines(value: str | None) -> list[str]:
    """A setup.cfg value with one item a line (requirements may hold commas)."""
    return [line.strip() for line in (value or "").splitlines() if line.strip()]


@dataclass(frozen=True)
class FindPackages:
    """A ``find_packages(…)`` call in setup.py."""

    where: str = "."
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    namespaces: bool = False


def setup_arguments(text: str) -> dict[str, Any]:
    """The keywords of setup.py's ``setup(…)`` call whose values are literals or simple names of them.

    Raises SyntaxError or ValueError where the text does not parse.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = ast.parse(text)
    names: dict[str, ast.expr] = {}
    call: ast.Call | None = None
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            names.setdefault(node.targets[0].id, node.value)
        elif isinstance(node, ast.Call) and _called(node) == "setup":
            call = node
    if call is None:
        return {}
    values = {}
    read = _Literals(names)
    for keyword in call.keywords:
        if keyword.arg is None and isinstance(keyword.value, ast.Name):
            literal = read.value(names.get(keyword.value.id, keyword.value))
            values.update(literal if isinstance(literal, dict) else {})
        elif keyword.arg is not None:
            values[keyword.arg] = read.value(keyword.value)
    return {key: value for key, value in values.items() if isinstance(key, str) and value is not None}


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


class _Literals:
    """Reads values of setup.py; of one text only so much, since names that add up names may double without end."""

    STEPS = 5_000
    ITEMS = 50_000

    def __init__(self, names: Mapping[str, ast.expr]) -> None:
        self._names = names
        self._left = self.STEPS

    def value(self, node: ast.expr) -> Any:
        """What an expression is; None where that cannot be told."""
        self._left -= 1
        if self._left < 0:
            return None
        if isinstance(node, ast.Name):
            node = self._names.get(node.id, node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Call):
            return self._find_packages(node)
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None

    def _sum(self, left: Any, right: Any) -> Any:
        if isinstance(left, list) and isinstance(right, list):
            return left + right if len(left) + len(right) <= self.ITEMS else None
        return left if right is None else right if left is None else None

    def _find_packages(self, node: ast.Call) -> FindPackages | None:
        called = _called(node)
        if called not in ("find_packages", "find_namespace_packages"):
            return None
        given: dict[str, Any] = dict(zip(("where", "exclude", "include"), node.args, strict=False))
        given.update({keyword.arg: keyword.value for keyword in node.keywords if keyword.arg})
        values = {key: self.value(value) for key, value in given.items()}
        return FindPackages(
            where=string(values.get("where")) or ".",
            include=tuple(strings(values.get("include"))) or ("*",),
            exclude=tuple(strings(values.get("exclude"))),
            namespaces=called == "find_namespace_packages",
        )
