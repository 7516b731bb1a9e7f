"""What calling a value gives."""

from __future__ import annotations

import ast

from driftcheck.infer.arrays import array
from driftcheck.infer.containers import method_result
from driftcheck.infer.frame import Frame
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Container,
    External,
    FunctionValue,
    Instance,
    LambdaValue,
    MethodOf,
    PartialValue,
    Scope,
    Value,
    options,
    union,
)


def call_value(frame: Frame, callee: Value, arguments: Arguments, node: ast.Call | None = None) -> Value:
    """The result of calling ``callee``."""
    return union([_call_one(frame, option, arguments, node) for option in options(callee)])


def _call_one(frame: Frame, callee: Value, arguments: Arguments, node: ast.Call | None) -> Value:
    world = frame.world
    match callee:
        case ClassValue():
            some = node is not None and _is_of_some_class(node.func)
            return Instance(callee, not (some or callee.declared))
        case FunctionValue():
            from driftcheck.infer.callables import return_value
            from driftcheck.infer.dispatch import reply_of

            reply = reply_of(world, callee)
            return return_value(world, callee, arguments) if reply is None else reply
        case LambdaValue(node=body, closure=closure):
            return _call_lambda(frame, body, closure, arguments)
        case PartialValue(function=inner, args=args, keywords=keywords, open=is_open):
            joined = Arguments(
                [*(Argument(a, ast.Constant(None)) for a in args), *arguments.positional],
                {**{k: Argument(v, ast.Constant(None), k) for k, v in keywords}, **arguments.keywords},
                arguments.open_positional or is_open,
                arguments.open_keywords or is_open,
            )
            return call_value(frame, inner, joined)
        case MethodOf(receiver=receiver, name=name):
            return _call_method(frame, receiver, name, arguments)
        case External(path=path):
            return external_result(frame, path)
        case Instance(cls=ClassValue()):
            from driftcheck.infer.attributes import lookup

            found = lookup(world, callee, "__call__").value
            return call_value(frame, found, arguments) if isinstance(found, FunctionValue) else UNKNOWN
    return UNKNOWN


def _is_of_some_class(func: ast.expr) -> bool:
    """Whether what is called holds a class rather than being one by its name: it may hold one below.

    ``engine_class()`` and ``type(engine)()``; a class's own name begins with a capital letter.
    """
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lstrip("_")[:1].islower() and name.endswith(("cls", "class", "type"))
    return isinstance(func, ast.Call)


def _call_method(frame: Frame, receiver: Value, name: str, arguments: Arguments) -> Value:
    if isinstance(receiver, Instance) and isinstance(receiver.cls, External):
        returns = frame.world.facts.functions.get(f"{receiver.cls.path}.{name}")
        if returns is not None:
            return stated(returns, receiver)
    return method_result(frame.world, receiver, name, [a.value for a in arguments.positional])


def external_result(frame: Frame, path: str) -> Value:
    """What calling something of another library gives: facts, else an object of a class by convention."""
    returns = frame.world.facts.functions.get(path)
    if returns is not None:
        return stated(returns, UNKNOWN)
    last = path.rpartition(".")[2]
    if path.startswith("builtins."):
        return UNKNOWN
    return Instance(External(path), True) if last[:1].isupper() else UNKNOWN


def stated(returns: str, receiver: Value) -> Value:
    """The value that a fact states: a class path, ``list[path]``, ``path[many]``, or ``self``."""
    if returns == "self":
        return receiver
    if returns.startswith("list[") and returns.endswith("]"):
        return Container("list", stated(returns[5:-1], receiver))
    if returns == "list":
        return Container("list", UNKNOWN)
    if returns.endswith("[many]"):
        return array(returns.removesuffix("[many]"))
    return Instance(External(returns))


def _call_lambda(frame: Frame, node: ast.Lambda, closure: Scope, arguments: Arguments) -> Value:
    from driftcheck.infer.expressions import evaluate
    from driftcheck.infer.run import bound_parameters

    with frame.world.guarded(("lambda", id(node))) as free:
        if not free:
            return UNKNOWN
        env = bound_parameters(frame.world, closure, node.args, arguments, None)
        inner = Frame(frame.world, Scope(closure.module, env, closure), env)
        return evaluate(inner, node.body)
