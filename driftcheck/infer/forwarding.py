"""What ``**kwargs`` accepts where it is only handed on."""

from __future__ import annotations

import ast

from driftcheck.index.functions import own_nodes
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import FunctionValue, Scope, Value, options
from driftcheck.infer.world import World

MAX_FORWARD = 6
"""Chains of forwarding longer than this are taken to accept anything."""


def forwarded_keywords(world: World, value: FunctionValue, name: str) -> frozenset[str] | None:
    """The keywords that a function's ``**name`` takes; None where it may take any.

    They are those that its body takes out (``pop``, ``get``, ``["x"]``, ``"x" in name``) and those that
    the receiving callables of ``f(**name)`` accept beyond what is passed to them already.
    """
    key = ("forwarded", value.definition, name)
    if key in world.cache:
        return world.cache[key]
    with world.guarded(key) as free:
        if not free or world.depth > MAX_FORWARD * 3:
            return None
        world.cache[key] = found = _forwarded(world, value, name)
    return found


def _forwarded(world: World, value: FunctionValue, name: str) -> frozenset[str] | None:
    try:
        node = value.definition.node
    except SourceFault:
        return None
    parents = {child: parent for parent in ast.walk(node) for child in ast.iter_child_nodes(parent)}
    taken: set[str] = set()
    for use in ast.walk(node):
        if isinstance(use, ast.Name) and use.id == name:
            accepted = _one_use(world, value, use, parents)
            if accepted is None:
                return None
            taken |= accepted
    return frozenset(taken)


def _one_use(world: World, value: FunctionValue, use: ast.Name, parents) -> set[str] | None:
    parent = parents.get(use)
    match parent:
        case ast.keyword(arg=None):
            call = parents.get(parent)
            return _accepted_by(world, value, call) if isinstance(call, ast.Call) else None
        case ast.Attribute(attr="pop" | "get" | "setdefault"):
            call = parents.get(parent)
            match call:
                case ast.Call(args=[ast.Constant(value=str(key)), *_]):
                    return {key} if parent.attr != "setdefault" else set()
            return None
        case ast.Attribute(attr="update"):
            return set()
        case ast.Attribute(attr="items" | "keys" | "values" | "copy"):
            return None
        case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=context):
            return {key} if not isinstance(context, ast.Store) else set()
        case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()]):
            return {key}
        case ast.Call(func=ast.Name(id="len" | "bool")):
            return set()
        case ast.UnaryOp(op=ast.Not()) | ast.If():
            return set()
        case ast.Dict(keys=keys, values=values):
            return None
    return None


def _accepted_by(world: World, value: FunctionValue, call: ast.Call) -> set[str] | None:
    """Keywords that a call passes on to its callee, less those that it passes itself."""
    from driftcheck.infer.callables import signature_of
    from driftcheck.infer.run import callee_in

    if sum(keyword.arg is None for keyword in call.keywords) > 1:
        return None
    callee = callee_in(world, value, call)
    explicit = {keyword.arg for keyword in call.keywords if keyword.arg}
    given = len(call.args)
    accepted: set[str] = set()
    for option in options(callee):
        signature = signature_of(world, option)
        if signature is None or signature.open_keywords:
            return None
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            given = 0
        filled = {p.name for p in signature.positional()[:given]}
        accepted |= set(signature.keywords()) - explicit - filled
    return accepted


