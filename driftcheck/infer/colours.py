"""Whether calling something gives a coroutine, an iterator of either colour, or a plain value."""

from __future__ import annotations

import ast
from typing import Literal

from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.annotations import annotated
from driftcheck.infer.callables import decorator_effect
from driftcheck.infer.values import UNKNOWN, Container, Coroutine, FunctionValue, Value, options
from driftcheck.infer.world import World

Colour = Literal["plain", "coroutine", "async iterator", "iterator"]
_AWAITABLE = (
    "Awaitable",
    "Coroutine",
    "Future",
    "Task",
    "Any",
    "object",
    "AsyncIterator",
    "AsyncGenerator",
    "AsyncIterable",
)


def colour_of(world: World, callee: Value) -> Colour | None:
    """The colour of a callable's result; None where it is not known or several differ."""
    found = {_colour(world, option) for option in options(callee)}
    return found.pop() if len(found) == 1 else None


def _colour(world: World, callee: Value) -> Colour | None:
    if not isinstance(callee, FunctionValue):
        return None
    function = callee.definition
    try:
        effects = {decorator_effect(world, function.module, d) for d in function.decorators}
        if effects - {"transparent"}:
            return None
        return _declared(world, function)
    except SourceFault:
        return None


def _declared(world: World, function: FunctionDef) -> Colour | None:
    header = function.header
    if isinstance(header, ast.AsyncFunctionDef):
        return "async iterator" if function.is_generator else "coroutine"
    if function.is_generator:
        return "iterator"
    if header.returns is None:
        return _inferred(world, function)
    value = annotated(world, function.module, header.returns)
    if isinstance(value, Coroutine):
        return "coroutine"
    if isinstance(value, Container) and value.kind == "async_generator":
        return "async iterator"
    if value is UNKNOWN and any(word in ast.unparse(header.returns) for word in _AWAITABLE):
        return None
    return "plain"


def _inferred(world: World, function: FunctionDef) -> Colour | None:
    """Without an annotation: plain where the body cannot hand a coroutine on, by having no calls in its returns."""
    returned = [n.value for n in nodes_of(function.node) if isinstance(n, ast.Return) and n.value is not None]
    if any(isinstance(n, ast.Call) for value in returned for n in nodes_of(value)):
        return None
    return (
        "plain"
        if all(
            isinstance(value, (ast.Constant, ast.Attribute, ast.Tuple, ast.List, ast.Dict))
            for value in returned
        )
        else None
    )
