"""Facts about libraries that are neither provider nor consumer, from rules/<library>/*.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from driftcheck.rulesdb import load_toml, toml_files
from driftcheck.rulesdb.contracts import FILE_NAME


class DecoratorFact(msgspec.Struct, forbid_unknown_fields=True):
    """A decorator of a library: what it leaves of the thing it decorates."""

    path: str
    effect: Literal[
        "transparent", "dataclass", "property", "contextmanager", "asynccontextmanager", "unknown"
    ]


class FieldFact(msgspec.Struct, forbid_unknown_fields=True):
    """A field specifier: a call in a class body that stands for a field's default."""

    path: str


class BaseFact(msgspec.Struct, forbid_unknown_fields=True):
    """A base class of a library.

    ``constructor``: ``fields`` when annotations make the signature (keyword only unless
    ``positional``), ``inherited`` when the class adds nothing to it, ``unknown`` otherwise.
    ``extra``: what unknown keywords meet. ``members``: names that instances have; ``open``: others may exist.
    ``called``: the method that calling an instance runs with the same arguments.
    """

    path: str
    constructor: Literal["fields", "inherited", "unknown"] = "unknown"
    positional: bool = False
    extra: Literal["forbid", "ignore"] = "forbid"
    members: list[str] = []
    open: bool = False
    called: str = ""


class FunctionFact(msgspec.Struct, forbid_unknown_fields=True):
    """A function or method of a library: ``returns`` is a dotted class path, ``list[path]`` or ``self``;
    a path followed by ``[many]`` is an array of more than one element in general, whose truth raises."""

    path: str
    returns: str


class PatcherFact(msgspec.Struct, forbid_unknown_fields=True):
    """A helper that replaces an attribute and raises where it is not there.

    ``target``, ``name`` and ``value`` are positions of its arguments, ``keyword`` the name of the last;
    ``dotted``: the target is a string that holds the name as well; ``unless``: a keyword that, when given,
    makes it not raise.
    """

    path: str
    target: int = 0
    name: int = 1
    value: int = 2
    keyword: str = "new"
    dotted: bool = False
    unless: str = ""


class ResolverFact(msgspec.Struct, forbid_unknown_fields=True):
    """A function that takes the dotted path of a module (``module``) or of something in one as a string.

    ``argument`` is its position, ``keyword`` its name.
    """

    path: str
    argument: int = 0
    keyword: str = ""
    module: bool = False


class EnvironmentFact(msgspec.Struct, forbid_unknown_fields=True):
    """The environment variables that a library reads begin with ``prefix``."""

    library: str
    prefix: str


class CommandFact(msgspec.Struct, forbid_unknown_fields=True):
    """A command that a library installs; ``modules`` are those run by ``python -m`` with the same options."""

    library: str
    program: str
    modules: list[str] = []


class LibraryFile(msgspec.Struct, forbid_unknown_fields=True):
    """One facts file."""

    decorator: list[DecoratorFact] = []
    field: list[FieldFact] = []
    base: list[BaseFact] = []
    function: list[FunctionFact] = []
    patcher: list[PatcherFact] = []
    resolver: list[ResolverFact] = []
    environment: list[EnvironmentFact] = []
    command: list[CommandFact] = []


class Facts(msgspec.Struct):
    """All facts in force, keyed by dotted path."""

    decorators: dict[str, str] = {}
    fields: frozenset[str] = frozenset()
    bases: dict[str, BaseFact] = {}
    functions: dict[str, str] = {}
    patchers: dict[str, PatcherFact] = {}
    resolvers: dict[str, ResolverFact] = {}
    environments: tuple[EnvironmentFact, ...] = ()
    commands: tuple[CommandFact, ...] = ()
    generated_modules: frozenset[str] = frozenset()


def load_facts(roots: tuple[Path, ...]) -> Facts:
    """The facts of every file below the rules directories; raises RulesError on a bad file."""
    facts = Facts()
    fields: set[str] = set()
    for root in roots:
        for path in toml_files(root):
            if path.name == FILE_NAME:
                continue
            loaded = load_toml(path, LibraryFile)
            facts.decorators |= {fact.path: fact.effect for fact in loaded.decorator}
            facts.bases |= {fact.path: fact for fact in loaded.base}
            facts.functions |= {fact.path: fact.returns for fact in loaded.function}
            facts.patchers |= {fact.path: fact for fact in loaded.patcher}
            facts.resolvers |= {fact.path: fact for fact in loaded.resolver}
            facts.environments += tuple(loaded.environment)
            facts.commands += tuple(loaded.command)
            fields |= {fact.path for fact in loaded.field}
    facts.fields = frozenset(fields)
    return facts
