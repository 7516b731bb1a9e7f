"""Cases as trees, and what was found against what was expected."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from driftcheck.model import Finding
from driftcheck.rulesdb.pages import Case, Expectation
from driftcheck.sources.metadata import with_marker
from driftcheck.sources.tree import MemoryFiles, Tree


def consumer_tree(case: Case) -> Tree:
    """The case's consumer as a tree of its own."""
    return _tree("consumer", None, case.consumer)


def provider_tree(case: Case, version: str) -> Tree:
    """One of the case's provider versions as a release; named after its first top-level package."""
    files = case.providers[version]
    return _tree(_top_level(files)[0], version, files)


def differences(wanted: Iterable[Expectation], found: Iterable[Finding]) -> list[str]:
    """One line for each expectation that nothing met and each finding that nothing wanted.

    Every finding meets at most one expectation; the pickier expectations choose first.
    """
    left = list(found)
    problems: list[str] = []
    for expectation in sorted(wanted, key=_freedom):
        match = next((one for one in left if _meets(expectation, one)), None)
        if match is None:
            problems.append(f"missing: {expectation.path}:{expectation.line} {_wanted(expectation)}")
        else:
            left.remove(match)
    problems += [f"unexpected: {_described(one)}" for one in left]
    return sorted(problems)


def reverse_differences(case: Case, found: Iterable[Finding]) -> list[str]:
    """What the versions the other way round must not show.

    The same use, asked in the other direction, breaks where it held: what was introduced is at most
    ``fixed``, and what nothing was expected of still has nothing.
    """
    wanted: dict[tuple[str, int], set[str | None]] = {}
    for expectation in case.expectations:
        wanted.setdefault((expectation.path, expectation.line), set()).add(expectation.status)
    problems: list[str] = []
    for one in found:
        statuses = wanted.get((one.path, one.line), set())
        if not statuses or (statuses == {"introduced"} and one.status == "introduced"):
            problems.append(f"unexpected in reverse: {_described(one)}")
    return problems


def _tree(name: str, version: str | None, files: Mapping[str, str]) -> Tree:
    contents = {path: text.encode() for path, text in files.items()}
    digest = hashlib.sha256(repr(sorted(contents.items())).encode()).hexdigest()
    return Tree(
        spec=name if version is None else f"{name}=={version}",
        files=MemoryFiles(contents),
        packages=_top_level(files),
        name=name,
        version=version,
        key=f"{name}/{version}/{digest}",
        immutable=True,
        **_stated(files.get("pyproject.toml", "")),
    )


def _stated(text: str) -> dict[str, Any]:
    """Requirements and entry points as a case's ``pyproject.toml`` states them."""
    project = tomllib.loads(text).get("project", {})
    requires = list(project.get("dependencies", ()))
    for extra, lines in project.get("optional-dependencies", {}).items():
        requires += [with_marker(line, f'extra == "{extra}"') for line in lines]
    return {"requires": tuple(requires), "entry_points": project.get("entry-points", {})}


def _top_level(files: Mapping[str, str]) -> tuple[str, ...]:
    importable = [path for path in files if path.endswith((".py", ".pyi", ".so"))]
    return tuple(dict.fromkeys(path.split("/")[0].removesuffix(".py") for path in importable))


def _freedom(expectation: Expectation) -> int:
    return sum(part is None for part in (expectation.confidence, expectation.status, expectation.message))


def _meets(expectation: Expectation, finding: Finding) -> bool:
    return (
        (finding.path, finding.line, finding.code) == (expectation.path, expectation.line, expectation.code)
        and expectation.confidence in (None, finding.confidence)
        and expectation.status in (None, finding.status)
        and (expectation.message is None or expectation.message in finding.message)
    )


def _described(one: Finding) -> str:
    where = f"{one.path}:{one.line}:{one.column}"
    return f"{where} {one.code} {one.confidence} {one.status} {one.message!r}"


def _wanted(expectation: Expectation) -> str:
    parts = [expectation.code, expectation.confidence, expectation.status]
    if expectation.message is not None:
        parts.append(f'"{expectation.message}"')
    return " ".join(part for part in parts if part)
