"""Methods that take another method's name as a string and call it elsewhere, as contracts say.

``executor.collective_rpc("m", args=(…))`` reaches ``m`` of the worker, or of a class that a string mixes
into it: the arguments are bound to that method and its result is what comes back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from driftcheck.index.classes import ClassDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.attributes import lookup
from driftcheck.infer.classpaths import provider_class, roles
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.signatures import Argument, Arguments, Signature
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    Coroutine,
    DictOf,
    External,
    FunctionValue,
    Instance,
    TupleOf,
    Union,
    Value,
    options,
    union,
)
from driftcheck.infer.world import World
from driftcheck.rulesdb.contracts import Dispatch

REPLY = External("<reply>")
"""Stands for the called method's result inside the body of the method that dispatches."""


@dataclass(frozen=True, slots=True)
class Dispatched:
    """One call by name.

    ``targets``: the classes asked, the deciding one last; ``found``: what the name gives on them (unknown
    where that cannot be told); ``missing``: none has it; ``node``: the name's argument.
    """

    name: str
    node: ast.AST
    targets: tuple[ClassDef, ...]
    found: Value
    missing: bool
    arguments: Arguments
    contract: Dispatch


def dispatched(world: World, callee: Value, arguments: Arguments) -> Dispatched | None:
    """The call that a call makes by name; None where it makes none, or the name is not a literal."""
    if not world.contracts:
        return None
    for option in options(callee):
        contract = _contract(world, option)
        if contract is None or not isinstance(option, FunctionValue):
            continue
        named = _passed(world, option, arguments, contract.name)
        if named is None or not isinstance(named.value, Const) or not isinstance(named.value.value, str):
            return None
        targets = tuple(
            c for c in (provider_class(world, dotted) for dotted in contract.targets) if c is not None
        )
        found, missing = _method(world, targets, named.value.value)
        inner = _inner_arguments(world, option, arguments, contract)
        return Dispatched(named.value.value, named.node, targets, found, missing, inner, contract)
    return None


def sent_functions(world: World, callee: Value, arguments: Arguments) -> Iterator[FunctionValue]:
    """A function given in the name's place runs with the target as its first argument."""
    if not world.contracts:
        return
    for option in options(callee):
        contract = _contract(world, option)
        given = (
            _passed(world, option, arguments, contract.name)
            if contract and isinstance(option, FunctionValue)
            else None
        )
        if contract is None or given is None or not isinstance(given.value, FunctionValue):
            continue
        target = provider_class(world, contract.targets[-1])
        if (
            target is not None
            and given.value.receiver is None
            and not world.is_provider(given.value.definition.module)
        ):
            yield replace(given.value, receiver=Instance(ClassValue(target)))


def _contract(world: World, callee: Value) -> Dispatch | None:
    """The contract of a method, of the class that declares it or of one that overrides it."""
    if not isinstance(callee, FunctionValue):
        return None
    name, owner = callee.definition.name, callee.definition.owner
    for contract in world.contracts.of(Dispatch):
        for dotted in contract.methods:
            cls, _, method = dotted.rpartition(".")
            if method != name or owner is None:
                continue
            if owner.qualname == cls:
                return contract
            declared = provider_class(world, cls)
            receiver = _class_of(callee.receiver) or owner
            if declared is not None and declared in mro(world, receiver).order:
                return contract
    return None


def _class_of(receiver: Value | None) -> ClassDef | None:
    return (
        receiver.cls.definition
        if isinstance(receiver, Instance) and isinstance(receiver.cls, ClassValue)
        else None
    )


def _passed(world: World, callee: FunctionValue, arguments: Arguments, parameter: str) -> Argument | None:
    """The argument that a call gives to a parameter."""
    from driftcheck.infer.callables import signature_of

    if parameter in arguments.keywords:
        return arguments.keywords[parameter]
    signature: Signature | None = signature_of(world, callee)
    if signature is None:
        return None
    names = [p.name for p in signature.positional()]
    at = names.index(parameter) if parameter in names else -1
    return arguments.positional[at] if 0 <= at < len(arguments.positional) else None


def _method(world: World, targets: tuple[ClassDef, ...], name: str) -> tuple[Value, bool]:
    """The method that a name finds on the targets and on what strings mix into them or put in their place."""
    if not targets:
        return UNKNOWN, False
    standing = roles(world)
    found: list[Value] = []
    decided = True
    for cls in targets:
        answer = lookup(world, Instance(ClassValue(cls)), name)
        if answer.status == "found":
            return answer.value, False
        if answer.status == "unknown" and cls is targets[-1]:
            decided = False
    order = mro(world, targets[-1]).order
    mixed = [cls for cls, hosts in standing.mixed.items() if any(host in order for host in hosts)]
    bases = {c.qualname for c in order if isinstance(c, ClassDef)}
    instead = [cls for base, classes in standing.instead.items() if base in bases for cls in classes]
    for cls in (*mixed, *instead):
        answer = lookup(world, Instance(ClassValue(cls)), name)
        if answer.status == "found":
            found.append(answer.value)
        elif answer.status == "unknown":
            decided = False
    if found:
        return union(found), False
    return UNKNOWN, decided and not standing.open


def _inner_arguments(
    world: World, callee: FunctionValue, arguments: Arguments, contract: Dispatch
) -> Arguments:
    """The arguments that the named method gets."""
    inner = Arguments(open_positional=arguments.open_positional, open_keywords=arguments.open_keywords)
    if contract.args == "*":
        inner.positional = arguments.positional[1:]
    elif contract.args:
        given = _passed(world, callee, arguments, contract.args)
        elements = getattr(given.value, "elements", None) if given is not None else ()
        if elements is None:
            inner.open_positional = True
        elif given is not None:
            nodes = _element_nodes(given.node, len(elements))
            inner.positional = [Argument(v, n) for v, n in zip(elements, nodes, strict=True)]
    if contract.kwargs == "**":
        inner.keywords = dict(arguments.keywords)
    elif contract.kwargs:
        given = _passed(world, callee, arguments, contract.kwargs)
        if given is None or given.value == Const(None):
            return inner
        if isinstance(given.value, DictOf):
            for name, value in given.value.entries:
                place = given.value.place(name, _path(given.value)) if given.value.places else None
                inner.keywords[name] = Argument(value, place or given.node, name)
            inner.open_keywords |= not given.value.closed
        else:
            inner.open_keywords = True
    return inner


def _path(mapping: DictOf) -> str:
    return mapping.places[-1][1]


def _element_nodes(node: ast.AST, count: int) -> list[ast.AST]:
    inner = node.value if isinstance(node, ast.keyword) else node
    if isinstance(inner, (ast.Tuple, ast.List)) and len(inner.elts) == count:
        return list(inner.elts)
    return [node] * count


def reply_of(world: World, callee: FunctionValue) -> Value | None:
    """What a call gives that brings a dispatched method's result back; None for every other call."""
    for contract in world.contracts.of(Dispatch):
        for reply in contract.reply:
            if (
                callee.definition.name == reply.call.rpartition(".")[2]
                and callee.definition.qualname == reply.call
            ):
                if reply.index is None or reply.size is None:
                    return REPLY
                return TupleOf(tuple(REPLY if n == reply.index else UNKNOWN for n in range(reply.size)))
    return None


def dispatched_result(world: World, call: Dispatched, arguments: Arguments, summary: Value) -> Value:
    """What the dispatching call gives: ``summary`` is its own, with :data:`REPLY` in it."""
    result = _result(world, call)
    contract = call.contract
    if contract.result == "one" or (contract.single and contract.single in arguments.keywords):
        return result
    if contract.result == "list":
        return Container("list", result)
    return _with_reply(summary, result)


def _result(world: World, call: Dispatched) -> Value:
    found = [_returned(world, o, call.arguments) for o in options(call.found) if isinstance(o, FunctionValue)]
    return union(found) if found and len(found) == len(options(call.found)) else UNKNOWN


def _returned(world: World, method: FunctionValue, arguments: Arguments) -> Value:
    """The method's result. The provider's own bodies are not run for it: an annotation costs nothing."""
    from driftcheck.infer.annotations import annotated
    from driftcheck.infer.callables import return_value

    function = method.definition
    if not world.is_provider(function.module):
        return return_value(world, method, arguments)
    try:
        return annotated(world, function.module, function.header.returns)
    except SourceFault:
        return UNKNOWN


def _with_reply(summary: Value, result: Value) -> Value:
    """``summary`` with the method's result in its place; a list of unknown things is a list of results."""
    if summary == REPLY:
        return result
    match summary:
        case Union(options=possible):
            return union([_with_reply(option, result) for option in possible])
        case Container(kind="list", element=element) if element in (UNKNOWN, REPLY):
            return Container("list", result)
        case Coroutine(result=inner):
            return Coroutine(_with_reply(inner, result))
    return summary
