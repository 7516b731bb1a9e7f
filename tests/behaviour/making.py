"""A provider of a few lines as a world, to ask inference about."""

from __future__ import annotations

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import load_facts
from driftcheck.infer.values import ClassValue, FunctionValue
from driftcheck.infer.world import World
from driftcheck.rulesdb import rules_roots
from driftcheck.sources.tree import MemoryFiles, Tree


def tree(files: dict[str, str], name: str) -> Tree:
    """A tree of files given as text, under one top-level package."""
    contents = {path: text.encode() for path, text in files.items()}
    return Tree(spec=name, files=MemoryFiles(contents), packages=(name,), name=name)


def world(provider: dict[str, str], consumer: dict[str, str] | None = None) -> World:
    """The world of a provider ``gantry`` and a consumer ``dock``."""
    other = consumer or {"dock/__init__.py": ""}
    return World(Index(tree(other, "dock")), Index(tree(provider, "gantry")), load_facts(rules_roots(())))


def cls(of: World, name: str) -> ClassDef:
    """A class of ``gantry``."""
    value = of.from_import("gantry", name)
    assert isinstance(value, ClassValue)
    return value.definition


def function(of: World, name: str) -> FunctionDef:
    """A function of ``gantry``, or a method as ``Class.method``."""
    owner, _, last = name.rpartition(".")
    if owner:
        found = cls(of, owner).method(last)
        assert found is not None
        return found
    value = of.from_import("gantry", last)
    assert isinstance(value, FunctionValue)
    return value.definition
