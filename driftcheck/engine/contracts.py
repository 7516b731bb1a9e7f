"""Whether what the contracts claim holds in a release's source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from driftcheck.index.classes import ClassDef
from driftcheck.index.tree_index import Index
from driftcheck.infer.attributes import lookup
from driftcheck.infer.callables import signature_of
from driftcheck.infer.constructors import fields_of
from driftcheck.infer.evaluator import Evaluator
from driftcheck.infer.facts import load_facts
from driftcheck.infer.values import ClassValue, Const, FunctionValue, Instance, Missing, ModuleValue, Value
from driftcheck.infer.world import World
from driftcheck.rulesdb import rules_roots
from driftcheck.rulesdb.contracts import (
    ClassPath,
    Contract,
    Default,
    Dispatch,
    Environment,
    Order,
    Protocol,
    Variant,
    load_contracts,
)
from driftcheck.sources.tree import MemoryFiles, Tree


@dataclass(frozen=True)
class Verified:
    """One contract on one release: whether it speaks of it, and what of its claims does not hold there."""

    contract: Contract
    applies: bool
    problems: tuple[str, ...] = ()


def verify(provider: Tree) -> list[Verified]:
    """Every contract on the provider's library that driftcheck brings, looked up in that release.

    Raises RulesError where a contracts file is bad.
    """
    return verify_in(provider, rules_roots())


def verify_in(provider: Tree, roots: tuple[Path, ...]) -> list[Verified]:
    """The same for the contracts below some rules directories."""
    nobody = Tree(spec="nobody", files=MemoryFiles({}), packages=(), immutable=True)
    world = World(Index(nobody), Index(provider), load_facts(rules_roots()))
    named = load_contracts(roots).of_library(provider.name, provider.packages)
    world.contracts = named.for_release(provider.name, provider.version, provider.packages)
    return [
        Verified(one, True, tuple(_problems(world, one)))
        if one.holds_for(provider.version)
        else Verified(one, False)
        for one in named
    ]


def _problems(world: World, contract: Contract) -> Iterator[str]:
    for symbol in contract.evidence:
        if value_at(world, symbol) is None:
            yield f"evidence: there is no {symbol}"
    match contract:
        case Dispatch():
            yield from _dispatch(world, contract)
        case ClassPath():
            yield from _class_path(world, contract)
        case Variant():
            yield from _variant(world, contract)
        case Default():
            yield from _default(world, contract)
        case Protocol():
            yield from _protocol(world, contract)
        case Order():
            yield from _order(world, contract)
        case Environment():
            yield from _environment(world, contract)


def value_at(world: World, symbol: str) -> Value | None:
    """What a dotted symbol of the provider is: a module, name, member or field; None where there is none."""
    parts = symbol.split(".")
    name, used = parts[0], 1
    if world.module(name) is None and not isinstance(world.imported(name), ModuleValue):
        return None
    while used < len(parts) and isinstance(world.imported(f"{name}.{parts[used]}"), ModuleValue):
        name = f"{name}.{parts[used]}"
        used += 1
    value: Value = ModuleValue(name)
    for part in parts[used:]:
        receiver = Instance(value) if isinstance(value, ClassValue) else value
        found = lookup(world, receiver, part)
        if found.status == "missing" or isinstance(found.value, Missing):
            return None
        if found.status == "unknown" and not _field(world, value, part):
            return None
        value = found.value
    return value


def _field(world: World, value: Value, name: str) -> bool:
    if not isinstance(value, ClassValue):
        return False
    return any(one.name == name for one in fields_of(world, value.definition))


def _class(world: World, symbol: str) -> ClassDef | None:
    value = value_at(world, symbol)
    return value.definition if isinstance(value, ClassValue) else None


def _classes(world: World, key: str, symbols: Iterable[str]) -> Iterator[str]:
    for symbol in symbols:
        if symbol and _class(world, symbol) is None:
            yield f"{key}: there is no class {symbol}"


def _functions(world: World, key: str, symbols: Iterable[str]) -> Iterator[str]:
    for symbol in symbols:
        if not isinstance(value_at(world, symbol), (FunctionValue, ClassValue)):
            yield f"{key}: there is no function, method or class {symbol}"


def _parameters(world: World, symbol: str) -> frozenset[str] | None:
    value = value_at(world, symbol)
    signature = signature_of(world, value) if value is not None else None
    return frozenset(p.name for p in signature.parameters) if signature is not None else None


def _dispatch(world: World, contract: Dispatch) -> Iterator[str]:
    yield from _classes(world, "targets", contract.targets)
    yield from _functions(world, "methods", contract.methods)
    yield from _functions(world, "reply", (reply.call for reply in contract.reply))
    named = [p for p in (contract.name, contract.args, contract.kwargs) if p and p not in ("*", "**")]
    for method in contract.methods:
        names = _parameters(world, method)
        for parameter in named:
            if names is not None and parameter not in names:
                yield f"methods: {method} has no parameter {parameter}"
    if contract.single and not any(
        contract.single in (_parameters(world, m) or ()) for m in contract.methods
    ):
        yield f"single: no method has a parameter {contract.single}"


def _class_path(world: World, contract: ClassPath) -> Iterator[str]:
    owner, _, name = contract.parameter.rpartition(".")
    names = _parameters(world, owner)
    if names is None:
        yield f"parameter: there is no {owner} that can be called"
    elif name not in names:
        yield f"parameter: {owner} takes no {name}"
    yield from _classes(world, "into", contract.into)
    yield from _classes(world, "base", (contract.base,))


def _variant(world: World, contract: Variant) -> Iterator[str]:
    if value_at(world, contract.attribute) is None:
        yield f"attribute: there is no {contract.attribute}"
    yield from _classes(world, "cases", (case.cls for case in contract.cases))
    yield from _classes(world, "default", (contract.default,))


def _default(world: World, contract: Default) -> Iterator[str]:
    owner, _, name = contract.field.rpartition(".")
    cls = _class(world, owner)
    fields = fields_of(world, cls) if cls is not None else []
    found = next((one for one in fields if one.name == name), None)
    if found is None:
        yield f"field: there is no field {contract.field}"
        return
    wanted = None if contract.absent else contract.value
    value = None
    if found.default is not None and not found.factory:
        value = Evaluator(world, world.module_scope(found.owner.module)).eval(found.default)
    if value != Const(wanted):
        shown = value.value if isinstance(value, Const) else "something else"
        yield f"value: {contract.field} is {shown!r} by default, not {wanted!r}"
    for need in contract.needs:
        if need.argument:
            callee, _, parameter = need.argument.rpartition(".")
            if parameter not in (_parameters(world, callee) or ()):
                yield f"needs: {callee} takes no {parameter}"
        elif value_at(world, need.call or need.attribute) is None:
            yield f"needs: there is no {need.call or need.attribute}"
    for symbol in contract.at:
        if value_at(world, symbol) is None:
            yield f"at: there is no {symbol}"


def _protocol(world: World, contract: Protocol) -> Iterator[str]:
    yield from _functions(world, "call", (contract.call,))
    yield from _functions(world, "reaches", contract.reaches)


def _order(world: World, contract: Order) -> Iterator[str]:
    for key, symbol in (("given", contract.given), ("used", contract.used)):
        if value_at(world, symbol) is None:
            yield f"{key}: there is no {symbol}"
    yield from _classes(world, "variant", (contract.variant,))


def _environment(world: World, contract: Environment) -> Iterator[str]:
    if not world.provider.files_mentioning(contract.variable):
        yield f"variable: no file mentions {contract.variable}"
