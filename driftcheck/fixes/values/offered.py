"""A value that the provider itself puts in where a caller of its own leaves the argument out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.fixes.literals import spelled
from driftcheck.fixes.values.needed import Derived, Needed
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.callables import signature_of
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, options


def offered_by_provider(needed: Needed) -> Iterator[Derived]:
    """Constants that a factory of the class, or a sibling of the method, supplies for the parameter."""
    earlier = _earlier_default(needed)
    if earlier is not None:
        version = needed.job.before.version if needed.job.before else ""
        yield Derived(spelled(earlier), f"its default in {version}")
        return
    for function in _siblings(needed):
        for value in _supplied(function, needed.name):
            why = f"what {function.owner.name if function.owner else ''}.{function.name}() supplies"
            yield Derived(spelled(value), why, _doubts(needed, function))


def _earlier_default(needed: Needed) -> ast.expr | None:
    """The constant that known-good took where the argument was left out."""
    call, before = needed.job.earlier_call, needed.job.before
    if call is None or before is None:
        return None
    for option in options(call.callee):
        signature = signature_of(before.world, option)
        parameter = signature.parameter(needed.name) if signature else None
        if parameter is not None and _is_constant(parameter.default):
            return parameter.default
    return None


def _doubts(needed: Needed, function: FunctionDef) -> tuple[str, ...]:
    """None where known-good knew of no such thing: the factory's value is then how it behaved."""
    if needed.job.before is None:
        return ()
    return () if _unknown_before(needed) else (f"{function.name}() is one of the ways the release makes it",)


def _unknown_before(needed: Needed) -> bool:
    """Whether known-good's callee has no such parameter and no such attribute."""
    call, before = needed.job.earlier_call, needed.job.before
    if call is None or before is None:
        return False
    for option in options(call.callee):
        if isinstance(option, ClassValue):
            owners = [c for c in mro(before.world, option.definition).order if isinstance(c, ClassDef)]
            if any(needed.name in owner.text for owner in owners):
                return False
        elif isinstance(option, FunctionValue):
            if needed.name in option.definition.text:
                return False
        else:
            return False
    return True


def _siblings(needed: Needed) -> Iterator[FunctionDef]:
    """The other functions of the class that is made, or whose method is called."""
    for option in options(needed.use.callee):
        match option:
            case (
                ClassValue(definition=cls) | FunctionValue(receiver=Instance(cls=ClassValue(definition=cls)))
            ):
                for owner in mro(needed.job.view.world, cls).order:
                    if isinstance(owner, ClassDef):
                        yield from owner.methods()


def _supplied(function: FunctionDef, name: str) -> Iterator[ast.expr]:
    """Constants that a function puts under ``name`` into the keywords that it passes on."""
    if name not in function.text:
        return
    rest = next((p.name for p in function.parameters if p.kind == "var_keyword"), None)
    default = next((p.default for p in function.parameters if p.name == name), None)
    if _is_constant(default) and _passes_on(function, name):
        assert default is not None
        yield default
    if rest is None:
        return
    try:
        body = function.node
    except SourceFault:
        return
    for node in nodes_of(body):
        match node:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=held), slice=ast.Constant(value=key))], value=value
            ) if held == rest and key == name and _is_constant(value):
                yield value
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=held), attr="setdefault"),
                args=[ast.Constant(value=key), value],
            ) if held == rest and key == name and _is_constant(value):
                yield value


def _passes_on(function: FunctionDef, name: str) -> bool:
    try:
        body = function.node
    except SourceFault:
        return False
    return any(
        isinstance(node, ast.keyword)
        and node.arg == name
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in nodes_of(body)
    )


def _is_constant(node: ast.expr | None) -> bool:
    """A literal that means the same anywhere; None says too little to be passed unasked."""
    try:
        return node is not None and ast.literal_eval(node) is not None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
