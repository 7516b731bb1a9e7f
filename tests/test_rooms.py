"""Data walks one way: each room of the package imports only the rooms above it.

The order is DESIGN's table. Imports are read from the source, also those inside functions and under
TYPE_CHECKING, so that the order holds however a module is reached.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import driftcheck

ROOMS = (
    "model",
    "sources",
    "rulesdb",
    "index",
    "infer",
    "uses",
    "checks",
    "fixes",
    "engine",
    "queries",
    "validate",
    "report",
    "servers",
    "cli",
)
PACKAGE = Path(driftcheck.__file__).parent


def imported_modules(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that the source of ``module`` may import."""
    parts = module.split(".")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                kept = len(parts) - node.level + is_package
                base = ".".join([*parts[:kept], *([node.module] if node.module else [])])
            # The names too: ``from driftcheck import engine`` imports a room.
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.lineno, node.args[0].value


def room_of(module: str) -> str | None:
    """The room a module of the package lies in; None for other packages and the package's own top."""
    parts = module.split(".")
    return parts[1] if parts[0] == "driftcheck" and len(parts) > 1 and parts[1] in ROOMS else None


def backward_imports(source: str, module: str, is_package: bool = False) -> list[str]:
    """One line for each import of a room that is not above the module's own."""
    room = room_of(module)
    if room is None:
        return []
    problems = []
    for line, name in imported_modules(source, module, is_package):
        other = room_of(name)
        if other is not None and ROOMS.index(other) > ROOMS.index(room):
            problems.append(f"{module}:{line}: {room} imports {name}, which lies below it")
    return problems


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def test_no_room_imports_one_below_it() -> None:
    problems = [
        problem
        for module, path in modules()
        for problem in backward_imports(path.read_text("utf-8"), module, path.name == "__init__.py")
    ]
    assert problems == []


def test_every_directory_is_a_room() -> None:
    directories = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))} - {
        "_rules",
        "__pycache__",
    }
    assert directories <= set(ROOMS)


def test_a_backward_import_is_seen() -> None:
    for statement in (
        "from driftcheck.engine import check",
        "import driftcheck.engine.session",
        "from driftcheck import engine",
        "from ..engine import check",
        "from .. import engine",
        "def later():\n    from driftcheck.engine import check",
        "import importlib\nimportlib.import_module('driftcheck.engine')",
    ):
        assert backward_imports(statement, "driftcheck.checks.names"), statement
    assert backward_imports("from ..engine import check", "driftcheck.checks", is_package=True)


def test_a_forward_import_is_fine() -> None:
    for statement in (
        "from driftcheck.model import Finding",
        "from ..index.outline import outline",
        "from . import calls",
        "import libcst",
        "from driftcheck import __version__",
    ):
        assert not backward_imports(statement, "driftcheck.checks.names"), statement
