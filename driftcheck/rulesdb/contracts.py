"""Contracts: facts about a library that its source cannot state, from rules/<library>/contracts.toml.

A file has one array of tables a kind (``[[dispatch]]``, ``[[class_path]]``, …). Every contract says which
releases it holds for, which symbols must exist there for it to mean anything (``driftcheck rules verify``
looks them up), and why source does not show it. None names a consumer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from driftcheck.rulesdb.errors import RulesError
from driftcheck.rulesdb.libraries import load_toml

FILE_NAME = "contracts.toml"
"""What a contracts file is called; every other TOML file of rules/ holds facts."""

Scalar = bool | int | float | str | None
"""A value that a contract can state. TOML has no null: ``absent = true`` stands for None."""


class Contract(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What every contract has.

    ``library``: the distribution it speaks of; ``versions``: the releases it holds for, as a specifier
    (empty: all); ``evidence``: dotted symbols that exist in every such release; ``reason``: why source
    does not show it.
    """

    id: str
    library: str
    versions: str = ""
    evidence: tuple[str, ...]
    reason: str

    @property
    def kind(self) -> str:
        """The kind as its table is called."""
        return _KIND_OF[type(self)]

    def holds_for(self, version: str | None) -> bool:
        """Whether the contract speaks of that release; a tree without a version is taken as any."""
        if not self.versions or version is None:
            return True
        try:
            return SpecifierSet(self.versions).contains(Version(version), prereleases=True)
        except InvalidVersion:
            return True


class Reply(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Where a result comes back: calling ``call`` gives it, or a tuple of ``size`` with it at ``index``."""

    call: str
    index: int | None = None
    size: int | None = None


class Dispatch(Contract, frozen=True, kw_only=True):
    """Methods that take another method's name as a string and call it elsewhere.

    ``methods``: the dotted methods that take the name; ``name``, ``args``, ``kwargs``: their parameters
    that hold the name, the positional and the keyword arguments (``*`` and ``**`` for their own rest
    parameters; empty: there is none); ``targets``: the classes whose methods are looked up. ``result``:
    ``provider`` where the body shows how results come back once ``reply`` is known, else ``list`` of one
    result a target, or ``one`` result; ``single`` names a parameter that, when given, makes it one.
    """

    methods: tuple[str, ...]
    targets: tuple[str, ...]
    name: str = "method"
    args: str = "args"
    kwargs: str = "kwargs"
    result: Literal["provider", "list", "one"] = "provider"
    single: str = ""
    reply: tuple[Reply, ...] = ()


class ClassPath(Contract, frozen=True, kw_only=True):
    """A parameter or field whose string names a class.

    ``parameter``: dotted, as ``pkg.mod.Class.field``; ``into``: classes that get the named class as a
    base (a mixin); ``base``: what the named class must derive from, where something is asked of it.
    """

    parameter: str
    into: tuple[str, ...] = ()
    base: str = ""


class Case(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One class that an attribute may hold, and when."""

    cls: str
    when: str


class Variant(Contract, frozen=True, kw_only=True):
    """An attribute that holds one of several classes chosen by a flag which source cannot evaluate.

    ``attribute``: dotted, as ``pkg.mod.Class.attribute``; ``cases``: the classes with the flag's value in
    words; ``default``: the class without any setting, empty where it depends on something.
    """

    attribute: str
    cases: tuple[Case, ...]
    default: str = ""


class Need(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the consumer must do for a changed default to be safe, or does that makes it unsafe.

    One of ``argument`` (dotted parameter), ``attribute`` (dotted attribute) and ``call`` (dotted function
    or method). ``present``: the failure strikes while the consumer does it (True) or leaves it out.
    """

    argument: str = ""
    attribute: str = ""
    call: str = ""
    present: bool = False


class Default(Contract, frozen=True, kw_only=True):
    """A field's default that the consumer may depend on.

    ``field``: dotted, as ``pkg.mod.Class.field``; ``value``: the default that strikes (``absent``: None);
    ``needs``: under which doings of the consumer it does, all of them; ``failure``: what is raised or
    silently wrong; ``at``: dotted symbols at whose use it strikes; ``silent``: nothing is raised.
    """

    field: str
    value: Scalar = None
    absent: bool = False
    needs: tuple[Need, ...] = ()
    failure: str
    at: tuple[str, ...] = ()
    silent: bool = False


class Protocol(Contract, frozen=True, kw_only=True):
    """How calls reach methods: calling ``call`` runs the methods ``reaches``, in that order of preference."""

    call: str
    reaches: tuple[str, ...]


class Order(Contract, frozen=True, kw_only=True):
    """The provider handles what it was handed in another order.

    ``given``: the call or parameter that hands it in; ``used``: where the order is the provider's own;
    ``by``: in words, what it orders by; ``variant``: the class under which it does, empty: always.
    """

    given: str
    used: str
    by: str
    variant: str = ""


class Environment(Contract, frozen=True, kw_only=True):
    """A variable of the environment that decides something; ``default`` when unset (``absent``: None)."""

    variable: str
    decides: str
    default: Scalar = None
    absent: bool = False


class ContractsFile(msgspec.Struct, forbid_unknown_fields=True):
    """One contracts file."""

    dispatch: list[Dispatch] = []
    class_path: list[ClassPath] = []
    variant: list[Variant] = []
    default: list[Default] = []
    protocol: list[Protocol] = []
    order: list[Order] = []
    environment: list[Environment] = []


KINDS: dict[str, type[Contract]] = {
    "dispatch": Dispatch,
    "class_path": ClassPath,
    "variant": Variant,
    "default": Default,
    "protocol": Protocol,
    "order": Order,
    "environment": Environment,
}
_KIND_OF = {cls: kind for kind, cls in KINDS.items()}

C = TypeVar("C", bound=Contract)


class Contracts:
    """The contracts in force for one provider at one release; empty under ``--no-contracts``."""

    def __init__(self, contracts: tuple[Contract, ...] = ()) -> None:
        self.all = contracts

    def __iter__(self) -> Iterator[Contract]:
        return iter(self.all)

    def __bool__(self) -> bool:
        return bool(self.all)

    def of(self, kind: type[C]) -> tuple[C, ...]:
        """The contracts of one kind, in the order of the files."""
        return tuple(one for one in self._by_kind.get(kind, ()) if isinstance(one, kind))

    @cached_property
    def _by_kind(self) -> dict[type[Contract], list[Contract]]:
        groups: dict[type[Contract], list[Contract]] = {}
        for one in self.all:
            groups.setdefault(type(one), []).append(one)
        return groups

    def of_library(self, library: str | None, packages: tuple[str, ...] = ()) -> Contracts:
        """Those that speak of a library, known by its distribution's name or a package's."""
        names = {canonicalize_name(name) for name in (library, *packages) if name}
        return Contracts(tuple(one for one in self.all if canonicalize_name(one.library) in names))

    def for_release(
        self, library: str | None, version: str | None, packages: tuple[str, ...] = ()
    ) -> Contracts:
        """Those that speak of that release of a library."""
        return Contracts(tuple(one for one in self.of_library(library, packages) if one.holds_for(version)))


def contract_files(root: Path) -> list[Path]:
    """Every contracts file below a rules directory, in one order on every machine."""
    return sorted(root.glob(f"*/{FILE_NAME}"))


def load_contracts(roots: tuple[Path, ...]) -> Contracts:
    """The contracts of every file below the rules directories.

    Raises RulesError naming the file, the contract and what is wrong with it.
    """
    found: list[Contract] = []
    seen: dict[str, Path] = {}
    for root in roots:
        for path in contract_files(root):
            loaded = load_toml(path, ContractsFile)
            for kind in KINDS:
                for contract in getattr(loaded, kind):
                    _validate(path, kind, contract, seen)
                    found.append(contract)
    return Contracts(tuple(found))


def _validate(path: Path, kind: str, contract: Contract, seen: dict[str, Path]) -> None:
    where = f"[[{kind}]] {contract.id or '(no id)'}"
    if not contract.id:
        raise RulesError.at(path, None, f"{where}: id is empty")
    if contract.id in seen:
        raise RulesError.at(path, None, f"{where}: {seen[contract.id]} has a contract of that id already")
    seen[contract.id] = path
    for key in ("library", "reason"):
        if not getattr(contract, key).strip():
            raise RulesError.at(path, None, f"{where}: {key} is empty")
    if not contract.evidence:
        raise RulesError.at(path, None, f"{where}: evidence is empty; allowed: dotted symbols")
    try:
        SpecifierSet(contract.versions)
    except InvalidSpecifier as error:
        raise RulesError.at(path, None, f"{where}: versions: {error}; allowed: such as '>=1.2,<3'") from error
    if isinstance(contract, Default):
        if contract.absent == (contract.value is not None):
            raise RulesError.at(path, None, f"{where}: exactly one of value and absent = true is needed")
        for need in contract.needs:
            if sum(bool(part) for part in (need.argument, need.attribute, need.call)) != 1:
                raise RulesError.at(path, None, f"{where}: a need is one of argument, attribute, call")
