"""Calls of the standard library that ask whether something can be awaited."""

from __future__ import annotations

import ast

from driftcheck.infer.frame import Frame
from driftcheck.infer.signatures import Arguments, first
from driftcheck.infer.values import (
    UNKNOWN,
    Const,
    Container,
    Coroutine,
    DictOf,
    External,
    FunctionValue,
    Instance,
    TupleOf,
    Value,
    options,
)


def is_awaitable(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``inspect.isawaitable(x)``: known for coroutines and for plain values."""
    return _one({_awaitable(option) for option in options(first(arguments))})


def _awaitable(value: Value) -> bool | None:
    match value:
        case Coroutine():
            return True
        case Const() | Container() | TupleOf() | DictOf():
            return False
        case Instance(cls=External(path=path)) if path.startswith("builtins."):
            return False
    return None


def is_coroutine_function(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``inspect.iscoroutinefunction(f)``: what the definition says, where no decorator may change it."""
    return _one({_is_async(frame, option) for option in options(first(arguments))})


def _is_async(frame: Frame, value: Value) -> bool | None:
    from driftcheck.infer.callables import has_opaque_decorator

    if not isinstance(value, FunctionValue) or has_opaque_decorator(frame.world, value.definition):
        return None
    return value.definition.is_async and not value.definition.is_generator


def _one(answers: set[bool | None]) -> Value:
    answer = answers.pop() if len(answers) == 1 else None
    return UNKNOWN if answer is None else Const(answer)
