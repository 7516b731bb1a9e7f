"""Small providers and consumers as trees, checked and repaired in memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from driftcheck.engine import CheckOptions, check
from driftcheck.engine.repair import Repaired, repair
from driftcheck.fixes import Style
from driftcheck.model import Finding
from driftcheck.sources.tree import MemoryFiles, Tree


def tree(name: str, version: str | None, files: Mapping[str, str]) -> Tree:
    """A tree in memory; ``name`` is its one package."""
    contents = {path: text.encode() for path, text in files.items()}
    spec = name if version is None else f"{name}=={version}"
    return Tree(
        spec=spec,
        files=MemoryFiles(contents),
        packages=(name,),
        name=name,
        version=version,
        key=repr(contents),
    )


class Pair:
    """A consumer ``dock`` of a provider ``gantry`` in two releases."""

    def __init__(
        self,
        old: Mapping[str, str],
        new: Mapping[str, str],
        consumer: Mapping[str, str],
        style: Style | None = None,
    ) -> None:
        self.old, self.new = tree("gantry", "1", old), tree("gantry", "2", new)
        self.consumer = tree("dock", None, consumer)
        self.options = CheckOptions(fix_style=style)

    def findings(self, files: Mapping[str, bytes] | None = None, target: Tree | None = None) -> list[Finding]:
        """The findings on a release (the new one by default) with some of the consumer's files replaced."""
        consumer = self.consumer.overlay(files) if files else self.consumer
        known_good = self.old if target is None else None
        found = check(consumer, target or self.new, known_good, self.options).findings
        return [one for one in found if one.status != "fixed"]

    def repaired(self, *wanted: str) -> Repaired:
        """The repair with the fixes that are as sure as one of ``wanted`` (safe and unsafe by default)."""
        grades = wanted or ("safe", "unsafe")
        return repair(
            self.findings,
            self.consumer.read,
            lambda one: one.fix is not None and one.fix.applicability in grades,
        )

    def fixed(self, *wanted: str, path: str = "dock/__init__.py") -> str:
        """One file's text after the repair."""
        done = self.repaired(*wanted)
        return (done.files.get(path) or self.consumer.read(path)).decode()


def one_module(old: str, new: str, consumer: str, style: Style | None = None) -> Pair:
    """A provider of one module each, and a consumer of one."""
    return Pair({"gantry.py": old}, {"gantry.py": new}, {"dock/__init__.py": consumer}, style)


def write_project(directory: Path, old: str, new: str, consumer: str) -> tuple[Path, Path, Path]:
    """The same on disk: both releases of the provider and the consumer, each in a directory of its own."""
    places = []
    for name, path, text in (("old", "gantry", old), ("new", "gantry", new), ("mine", "dock", consumer)):
        package = directory / name / path
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(text)
        places.append(directory / name)
    return places[0], places[1], places[2]
