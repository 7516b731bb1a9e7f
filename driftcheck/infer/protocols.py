"""Two-phase protocols of provider classes: a method that must not be called again before another one."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef, own_nodes
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.attributes import lookup
from driftcheck.infer.declared import called_method
from driftcheck.infer.run import MAX_BODY
from driftcheck.infer.states import Guard, Store, effects_of, methods_of
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Value, options, union
from driftcheck.infer.variants import choice
from driftcheck.infer.world import World
from driftcheck.rulesdb import contracts

Choice = Literal["one", "open", "off"]
MAX_STEPS = 6
"""How many forwarding methods lie at most between the consumer's call and the method that keeps state."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """``first`` raises while its state is set and sets it; each of ``seconds`` clears it."""

    cls: ClassDef
    first: FunctionDef
    guard: Guard
    store: Store
    seconds: tuple[FunctionDef, ...]
    returns_none: bool
    other_ways: int

    @property
    def always(self) -> bool:
        """Whether every call that returns leaves the state set."""
        return self.store.always and not self.other_ways


@dataclass(frozen=True, slots=True)
class Phase:
    """A protocol as a call reaches it: through ``steps``, the called method first.

    ``names`` are the methods on the way that lead to the second phase. ``choice``: the call may also reach
    classes that keep no such state: ``open`` where nothing decides between them, ``off`` where what
    decides chooses another class unless something is set.
    """

    protocol: Protocol
    steps: tuple[FunctionDef, ...]
    names: frozenset[str]
    choice: Choice = "one"


def phases_of(world: World, callee: Value) -> list[Phase]:
    """The protocols whose first phase a call of ``callee`` runs."""
    return _phases(world, callee, ())


def _phases(world: World, callee: Value, steps: tuple[FunctionDef, ...]) -> list[Phase]:
    found: dict[ClassDef, list[Phase]] = {}
    other = False
    for option in options(callee):
        match option:
            case FunctionValue(definition=function, receiver=Instance(cls=ClassValue(definition=cls))):
                found[cls] = _phases_of_method(world, option, cls, function, steps)
            case _:
                other = True
    return _chosen(world, callee, found, other)


def _chosen(world: World, callee: Value, found: dict[ClassDef, list[Phase]], other: bool) -> list[Phase]:
    """What each class that the receiver may be gives, with what decides between them."""
    if len(found) < 2:
        phases = [p for group in found.values() for p in group]
        return [replace(p, choice="open") if other and p.choice == "one" else p for p in phases]
    choices = _choices(world, callee)
    given: list[Phase] = []
    for cls, phases in found.items():
        how = choices.get(cls, "open")
        if all(found.values()) and how == "open":
            how = "one"
        given += [replace(p, choice=how if p.choice == "one" else p.choice) for p in phases]
    return sorted(given, key=lambda p: ("one", "open", "off").index(p.choice))


def _phases_of_method(
    world: World, value: FunctionValue, cls: ClassDef, function: FunctionDef, steps: tuple[FunctionDef, ...]
) -> list[Phase]:
    if function in steps or len(steps) >= MAX_STEPS or not world.is_provider(function.module):
        return []
    steps = (*steps, function)
    protocol = protocol_of(world, cls, function)
    if protocol is not None:
        return [Phase(protocol, steps, frozenset(s.name for s in protocol.seconds))]
    found: list[Phase] = []
    for target in forwarded_to(world, value):
        found += _phases(world, target, steps)
    return [replace(p, names=p.names | _leading_to(world, cls, p.names)) for p in found]


def _leading_to(world: World, cls: ClassDef, names: frozenset[str]) -> frozenset[str]:
    """The methods of a forwarding class that mention one of the names: they may lead there."""
    return frozenset(m.name for m in methods_of(world, cls) if any(name in m.text for name in names))


def classes_behind(world: World, callee: Value) -> dict[str, Choice]:
    """The classes whose methods a call runs, itself and through forwarding, by name: with what decides."""
    found: dict[str, Choice] = {}
    _collect_behind(world, callee, "one", found, 0)
    return found


def _collect_behind(world: World, callee: Value, how: Choice, found: dict[str, Choice], depth: int) -> None:
    methods = [o for o in options(callee) if isinstance(o, FunctionValue)]
    choices = _choices(world, callee) if len(methods) > 1 else {}
    for method in methods:
        match method.receiver:
            case Instance(cls=ClassValue(definition=cls)):
                here = choices.get(cls, how) if how == "one" else how
                if cls.qualname not in found and depth < MAX_STEPS:
                    found[cls.qualname] = here
                    for target in forwarded_to(world, method):
                        _collect_behind(world, target, here, found, depth + 1)


def _choices(world: World, callee: Value) -> dict[ClassDef, Choice]:
    """What decides between the classes of a method's receiver, for each of them."""
    receivers = [
        o.receiver for o in options(callee) if isinstance(o, FunctionValue) and o.receiver is not None
    ]
    flag = choice(world, union(receivers))
    default = flag.default if flag is not None and flag.decided else frozenset()
    found: dict[ClassDef, Choice] = {}
    for receiver in receivers:
        if isinstance(receiver, Instance) and isinstance(receiver.cls, ClassValue):
            cls = receiver.cls.definition
            found[cls] = "one" if default == {cls} else "off" if default and cls not in default else "open"
    return found


def protocol_of(world: World, cls: ClassDef, function: FunctionDef) -> Protocol | None:
    """The protocol whose first phase ``function`` is on objects of ``cls``; None where it is none."""
    key = ("protocol", cls, function)
    if key not in world.cache:
        world.cache[key] = _protocol(world, cls, function)
    return world.cache[key]


def _protocol(world: World, cls: ClassDef, function: FunctionDef) -> Protocol | None:
    if function.name.startswith("__") or (
        "raise" not in function.text and "assert" not in function.text and "self." not in function.text
    ):
        return None
    effects = effects_of(world, cls, function)
    for guard in effects.guards:
        stores = [s for s in effects.sets if s.attribute == guard.attribute]
        if guard.wanted != "empty" or not stores or guard.attribute in effects.clears:
            continue
        seconds = _seconds(world, cls, function, guard.attribute)
        if seconds:
            store = next((s for s in stores if s.always), stores[0])
            returns_none, other_ways = _ways_out(function, store)
            return Protocol(cls, function, guard, store, seconds, returns_none, other_ways)
    return None


def _seconds(world: World, cls: ClassDef, first: FunctionDef, attribute: str) -> tuple[FunctionDef, ...]:
    """The methods that clear the state, themselves or by calling one that does."""
    methods = [m for m in methods_of(world, cls) if m.name not in (first.name, "__init__", "__del__")]
    found = [m for m in methods if attribute in m.text and attribute in effects_of(world, cls, m).clears]
    names = {m.name for m in found}
    for _ in range(2):
        more = [m for m in methods if m not in found and any(f"self.{name}(" in m.text for name in names)]
        found += more
        names |= {m.name for m in more}
    return tuple(sorted(found, key=lambda m: (m.name.startswith("_"), m is not found[0])))


def _ways_out(function: FunctionDef, store: Store) -> tuple[bool, int]:
    """Whether the way past the store returns None, and how many returns lie on other ways."""
    returns = [n for n in own_nodes(function.node) if isinstance(n, ast.Return)]
    if store.function is not function:
        return all(_gives_none(r) for r in returns), 0
    after = [r for r in returns if r.lineno > store.line]
    return all(_gives_none(r) for r in after), len(returns) - len(after)


def _gives_none(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


def forwarded_to(world: World, value: FunctionValue) -> list[Value]:
    """The methods that a method hands its call on to: those of its own name, by call or by string.

    How a string reaches a class, and a call that no source connects, are contracts.
    """
    function = value.definition
    stated = [
        method
        for contract in world.contracts.of(contracts.Protocol)
        if contract.call == function.qualname
        for method in named_methods(world, contract.reaches)
    ]
    if stated or len(function.text) > MAX_BODY or function.text.count(function.name) < 2:
        return list(stated)
    try:
        node = function.node
    except (SourceFault, AssertionError, IndexError):
        return []
    found: list[Value] = []
    for call in own_nodes(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if call.func.attr == function.name:
                found.append(called_method(world, value, call))
            elif any(isinstance(a, ast.Constant) and a.value == function.name for a in _passed(call)):
                found += _dispatched(world, call.func.attr, function.name)
    return found


def _passed(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *[k.value for k in call.keywords]]


def _dispatched(world: World, through: str, name: str) -> list[Value]:
    """The methods called ``name`` of the classes that a dispatching method looks a string up on."""
    targets = [
        target
        for contract in world.contracts.of(contracts.Dispatch)
        if any(method.rpartition(".")[2] == through for method in contract.methods)
        for target in contract.targets
    ]
    return named_methods(world, [f"{target}.{name}" for target in dict.fromkeys(targets)])


def named_methods(world: World, paths: Iterable[str]) -> list[Value]:
    """The bound methods that dotted paths ``module.Class.method`` name; those not there are left out."""
    found: list[Value] = []
    for path in paths:
        owner, _, name = path.rpartition(".")
        module, _, cls = owner.rpartition(".")
        value = world.from_import(module, cls)
        if isinstance(value, ClassValue):
            method = lookup(world, Instance(value), name).value
            if isinstance(method, FunctionValue):
                found.append(method)
    return found


def deciding_settings(world: World, protocol: Protocol) -> tuple[str, ...]:
    """Settings on which the returns of the second phase depend and the first phase's None does not.

    A setting is the end of the chain that ``self.<flag>`` was assigned from: ``config.part.setting``.
    """
    found: list[str] = []
    for second in protocol.seconds:
        try:
            body = second.node
        except (SourceFault, AssertionError, IndexError):
            continue
        for node in own_nodes(body):
            if isinstance(node, ast.If) and any(isinstance(s, ast.Return) for s in node.body):
                found += [n for n in _settings_in(world, protocol.cls, node.test) if n not in found]
    return tuple(found)


def _settings_in(world: World, cls: ClassDef, test: ast.expr) -> list[str]:
    found: list[str] = []
    for node in nodes_of(test):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=flag):
                setting = _origin(world, cls, flag)
                if setting is not None:
                    found.append(setting)
    return found


def _origin(world: World, cls: ClassDef, flag: str) -> str | None:
    """The last name of the chain that ``__init__`` assigns to ``self.<flag>``."""
    for method in methods_of(world, cls):
        if method.name != "__init__":
            continue
        try:
            body = method.node
        except (SourceFault, AssertionError, IndexError):
            return None
        for node in own_nodes(body):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                    value=ast.Attribute(attr=setting),
                ) if name == flag:
                    return setting
    return None
