"""Facts about libraries that are neither provider nor consumer, from rules/<library>/*.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from driftcheck.rulesdb import load_toml, toml_files


class DecoratorFact(msgspec.Struct, forbid_unknown_fields=True):
    """A decorator of a library: what it leaves of the thing it decorates."""

    path: str
    effect: Literal["transparent", "dataclass", "property", "contextmanager", "asynccontextmanager", "unknown"]


class FieldFact(msgspec.Struct, forbid_unknown_fields=True):
    """A field specifier: a call in a class body that stands for a field's default."""

    path: str


class BaseFact(msgspec.Struct, forbid_unknown_fields=True):
    """A base class of a library.

    ``constructor``: ``fields`` when annotations make the signature (keyword only unless
    ``positional``), ``inherited`` when the class adds nothing to it, ``unknown`` otherwise.
    ``extra``: what unknown keywords meet. ``members``: names that instances have; ``open``: others may exist.
    """

    path: str
    constructor: Literal["fields", "inherited", "unknown"] = "unknown"
    positional: bool = False
    extra: Literal["forbid", "ignore"] = "forbid"
    members: list[str] = []
    open: bool = False


class FunctionFact(msgspec.Struct, forbid_unknown_fields=True):
    """A function or method of a library: ``returns`` is a dotted class path, ``list[path]`` or ``self``."""

    path: str
    returns: str


class LibraryFile(msgspec.Struct, forbid_unknown_fields=True):
    """One facts file."""

    decorator: list[DecoratorFact] = []
    field: list[FieldFact] = []
    base: list[BaseFact] = []
    function: list[FunctionFact] = []


class Facts(msgspec.Struct):
    """All facts in force, keyed by dotted path."""

    decorators: dict[str, str] = {}
    fields: frozenset[str] = frozenset()
    bases: dict[str, BaseFact] = {}
    functions: dict[str, str] = {}
    generated_modules: frozenset[str] = frozenset()


def load_facts(roots: tuple[Path, ...]) -> Facts:
    """The facts of every file below the rules directories; raises RulesError on a bad file."""
    facts = Facts()
    fields: set[str] = set()
    for root in roots:
        for path in toml_files(root):
            loaded = load_toml(path, LibraryFile)
            facts.decorators |= {fact.path: fact.effect for fact in loaded.decorator}
            facts.bases |= {fact.path: fact for fact in loaded.base}
            facts.functions |= {fact.path: fact.returns for fact in loaded.function}
            fields |= {fact.path for fact in loaded.field}
    facts.fields = frozenset(fields)
    return facts
