"""One attempt, inside the environment under test. Run by path; DRIFTCHECK_ATTEMPT names the job's JSON file.

What happens is appended to the job's event file as it happens, one JSON object a line, so that a crash
loses nothing. Worker processes that multiprocessing spawns import this file again: all that must hold in
them too stands at module level.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import errno
import faulthandler
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import linecache
import os
import sys
import time
import traceback
from typing import Any

with open(os.environ["DRIFTCHECK_ATTEMPT"], encoding="utf-8") as _file:
    JOB = json.load(_file)
_SEEN: set[str] = set()


def reached(mark: str) -> None:
    """Notes that a marked statement began, once a process."""
    if mark not in _SEEN:
        _SEEN.add(mark)
        _append(JOB["reached"], mark)


def _append(path: str, line: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, (line + "\n").encode())
    finally:
        os.close(handle)


def tell(**event: object) -> None:
    _append(JOB["events"], json.dumps(event))


class MarkingLoader(importlib.machinery.SourceFileLoader):
    """Compiles a consumer module with a call before each marked statement; no line moves."""

    def source_to_code(self, data, path, *, _optimize=-1):  # type: ignore[no-untyped-def, override]
        marks = JOB["marks"].get(os.path.relpath(os.fspath(path), JOB["overlay"]).replace(os.sep, "/"))
        if marks:
            try:
                tree = ast.parse(data, os.fspath(path))
                for line, mark in marks:
                    mark_statement(tree, line, mark)
                return compile(tree, os.fspath(path), "exec", dont_inherit=True, optimize=_optimize)
            except (SyntaxError, ValueError, RecursionError):
                pass  # without marks the module runs all the same
        return super().source_to_code(data, path, _optimize=_optimize)

    def set_data(self, path, data, *, _mode=0o666):  # type: ignore[no-untyped-def]
        """Writes no bytecode: it would carry this attempt's marks."""


class MarkingFinder:
    """Finds the consumer's modules in the overlay."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name.partition(".")[0] not in JOB["packages"]:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            if os.path.abspath(spec.loader.path).startswith(JOB["overlay"] + os.sep):
                spec.loader = MarkingLoader(spec.loader.name, spec.loader.path)
                spec.cached = None
        return spec


def mark_statement(tree: ast.Module, line: int, mark: str) -> None:
    """Puts a call of ``reached`` before the innermost statement on that line, or into a function's body."""
    place = _innermost(tree, line)
    if place is None:
        return
    body, at = place
    statement = body[at]
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        body, at = statement.body, 1 if ast.get_docstring(statement) is not None else 0
        statement = body[min(at, len(body) - 1)]
    name = ast.Name("__driftcheck_reached__", ast.Load())
    call = ast.Expr(ast.Call(name, [ast.Constant(mark)], []))
    for node in ast.walk(call):
        ast.copy_location(node, statement)
    body.insert(at, call)


def _innermost(node: ast.AST, line: int) -> tuple[list[ast.stmt], int] | None:
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        items = getattr(node, field, None)
        if not isinstance(items, list):
            continue
        for at, item in enumerate(items):
            first = (
                min([item.lineno, *(one.lineno for one in getattr(item, "decorator_list", []))])
                if hasattr(item, "lineno")
                else 0
            )
            if hasattr(item, "lineno") and not first <= line <= (item.end_lineno or item.lineno):
                continue
            deeper = _innermost(item, line)
            if deeper is not None:
                return deeper
            if isinstance(item, ast.stmt):
                return items, at
    return None


builtins.__driftcheck_reached__ = reached  # type: ignore[attr-defined]
sys.meta_path.insert(0, MarkingFinder())
_HERE = os.path.dirname(os.path.abspath(__file__))
# Last, not first: a driver finds its neighbours, and none of them hides anybody's module.
sys.path[:] = [*(entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE), _HERE]


class Placing:
    """Says of a file whose it is, without the machine's paths."""

    def __init__(self) -> None:
        self._owners: dict[str, Any] | None = None

    def place(self, file: str) -> tuple[str, str, str | None]:
        """Role, relative path, and the distribution of a file that is neither consumer nor provider."""
        file = os.path.abspath(file)
        for role, root in (
            ("consumer", JOB["overlay"]),
            ("provider", JOB["provider_root"]),
            ("driver", _HERE),
        ):
            if root and file.startswith(root + os.sep):
                base = os.path.dirname(root) if role == "provider" else root
                return role, os.path.relpath(file, base).replace(os.sep, "/"), None
        for site in [*JOB["sites"], *sys.path]:
            site = os.path.abspath(site or ".")
            if file.startswith(site + os.sep) and site != JOB["stdlib"]:
                path = os.path.relpath(file, site).replace(os.sep, "/")
                return "library", path, self._distribution(path.partition("/")[0])
        if file.startswith(JOB["stdlib"] + os.sep):
            return "stdlib", os.path.relpath(file, JOB["stdlib"]).replace(os.sep, "/"), None
        return "other", os.path.basename(file), None

    def _distribution(self, top: str) -> str:
        if self._owners is None:
            try:
                self._owners = dict(importlib.metadata.packages_distributions())
            except Exception:
                self._owners = {}
        names = self._owners.get(top.removesuffix(".py"))
        return names[0] if names else top.removesuffix(".py")


PLACING = Placing()


def describe(error: BaseException, depth: int = 0) -> dict[str, Any]:
    """The exception as data: type, message, frames from outermost to innermost, and what caused it."""
    frames = []
    for frame in traceback.extract_tb(error.__traceback__):
        role, path, distribution = PLACING.place(frame.filename)
        entry: dict[str, Any] = {"role": role, "path": path, "line": frame.lineno, "function": frame.name}
        if distribution:
            entry["distribution"] = distribution
        if role in ("consumer", "provider", "driver"):
            entry["text"] = linecache.getline(frame.filename, frame.lineno or 0).strip()
        frames.append(entry)
    if len(frames) > 60:
        frames = frames[:30] + frames[-30:]
    kind = type(error)
    found: dict[str, Any] = {
        "type": kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}",
        "bases": [base.__name__ for base in kind.__mro__[:-2]],
        "message": _message(error),
        "frames": frames,
    }
    if isinstance(error, ImportError) and error.name:
        found["module"] = error.name
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and depth < 4:
        found["cause"] = describe(cause, depth + 1)
    return found


def _message(error: BaseException) -> str:
    try:
        return str(error)[:4000]
    except Exception as problem:
        return f"(its message cannot be had: {type(problem).__name__})"


class Step:
    """What a driver says about one step."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.figures: dict[str, object] = {}

    def figure(self, name: str, value: object) -> None:
        """Keeps a number or a short text for the result."""
        self.figures[name] = value

    def expect(self, holds: bool, otherwise: str) -> bool:
        """Notes a difference from what the oracle says; returns whether it held."""
        if not holds:
            self.problems.append(otherwise)
        return bool(holds)

    def within(self, name: str, value: float, bound: float) -> bool:
        """Keeps an error, and notes a difference where it is over the bound (or not a number)."""
        previous = self.figures.get(name)
        self.figures[name] = max(previous, value) if isinstance(previous, float) and value == value else value
        self.figures["bound"] = bound
        return self.expect(value <= bound, f"{name} {value:.2g} is over {bound:g}")


class Run:
    """What a driver is given."""

    def __init__(self) -> None:
        self.device: str = JOB["device"]
        self.scratch: str = JOB["scratch"]
        self.shared: str = JOB["shared"]
        self.parameters: dict[str, str] = JOB["parameters"]
        self.bounds: dict[str, float] = JOB["bounds"]
        self.packages: list[str] = JOB["packages"]
        self.failed = False
        self.told: BaseException | None = None
        self._groups = {step["name"]: step.get("group", "core") for step in JOB["steps"]}

    def wants(self, shim: str) -> bool:
        """Whether the scenario declares that shim for this device; asking is noted as using it."""
        for one in JOB["shims"]:
            if one["name"] == shim and (not one.get("devices") or self.device in one["devices"]):
                tell(kind="shim", name=shim)
                return True
        return False

    def fact(self, name: str, value: object) -> None:
        """Keeps something worth knowing about the surroundings."""
        tell(kind="fact", name=name, value=value)

    def unfit(self, problem: str) -> None:
        """Says that the surroundings allow no answer: nothing of what follows counts."""
        tell(kind="environment", problem=problem)

    @contextlib.contextmanager
    def step(self, name: str, group: str | None = None):  # type: ignore[no-untyped-def]
        """One step; an exception is noted, and ends the attempt unless the step goes beyond core use."""
        group = group or self._groups.get(name, "core")
        began, step = time.perf_counter(), Step()
        tell(kind="begin", step=name, group=group)
        try:
            yield step
        except Exception as error:
            self.failed = True
            self.exception(error, name)
            if group == "core":
                raise
        else:
            self.failed = self.failed or bool(step.problems)
            tell(
                kind="end",
                step=name,
                seconds=round(time.perf_counter() - began, 2),
                problems=step.problems,
                figures=step.figures,
            )

    def exception(self, error: BaseException, step: str | None = None) -> None:
        """Notes an exception that struck in a step."""
        traceback.print_exception(type(error), error, error.__traceback__)
        self.told = error
        tell(kind="exception", step=step, error=describe(error))


def _strays() -> list[str]:
    """Consumer packages that were imported from elsewhere than the overlay."""
    found = []
    for name in JOB["packages"]:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file and not os.path.abspath(file).startswith(JOB["overlay"] + os.sep):
            found.append(name)
    return found


def main() -> int:
    faulthandler.enable()
    run = Run()
    try:
        spec = importlib.util.spec_from_file_location("driftcheck_driver", JOB["driver"])
        assert spec is not None and spec.loader is not None
        driver = importlib.util.module_from_spec(spec)
        sys.modules["driftcheck_driver"] = driver
        spec.loader.exec_module(driver)
        driver.drive(run)
    except BaseException as error:
        if error is not run.told:
            run.exception(error)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            tell(kind="environment", problem="no space left on the device")
        tell(kind="done", complete=False)
        return 1
    if strays := _strays():
        tell(kind="environment", problem=f"imported from elsewhere than the overlay: {', '.join(strays)}")
    tell(kind="done", complete=True)
    return 1 if run.failed else 0


if __name__ == "__main__":
    code = main()
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    # Engines leave threads and workers that never join; the parent ends what remains by its id.
    os._exit(code)
