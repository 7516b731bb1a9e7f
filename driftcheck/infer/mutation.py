"""Methods that change a mapping or list in place, followed through the variable that holds it."""

from __future__ import annotations

import ast
from dataclasses import replace

from driftcheck.infer.containers import element_of, merged, with_entry, without_entry
from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.signatures import Arguments, first, nth, text_of
from driftcheck.infer.values import (
    NONE,
    UNKNOWN,
    Container,
    DictOf,
    MethodOf,
    Value,
    union,
)


def mutate(frame: Frame, node: ast.Call, callee: MethodOf, arguments: Arguments) -> None:
    """Keep a variable's mapping or list up with what a method does to it in place."""
    if not isinstance(node.func, ast.Attribute) or frame.env is None:
        return
    path = path_of(node.func.value)
    if path is None or (path not in frame.env and "." not in path):
        return
    changed = _changed(frame, callee.receiver, callee.name, node, arguments)
    if changed is None:
        return
    frame.env[path] = changed
    if "." in path and isinstance(node.func.value, ast.Attribute) and frame.hears is not None:
        owner = frame.env.get(path.rpartition(".")[0])
        if owner is not None:
            frame.hears.stored(frame, node.func.value, owner, node.func.value.attr, changed)


def _changed(frame: Frame, receiver: Value, name: str, node: ast.Call, arguments: Arguments) -> Value | None:
    path = frame.scope.module.path
    if isinstance(receiver, DictOf):
        if name == "update":
            result = merged(receiver, first(arguments)) if arguments.positional else receiver
            for keyword, argument in arguments.keywords.items():
                result = with_entry(result, keyword, argument.value, path, argument.node)
            return replace(result, closed=result.closed and not arguments.open_keywords)
        if name == "setdefault":
            key = text_of(first(arguments))
            if key is not None and receiver.get(key) is None:
                return with_entry(
                    receiver, key, nth(arguments, 1) or NONE, path, arguments.positional[0].node
                )
            return None if key is not None else replace(receiver, closed=False)
        if name == "pop":
            key = text_of(first(arguments))
            return without_entry(receiver, key) if key is not None else replace(receiver, closed=False)
        return DictOf((), True) if name == "clear" else None
    if isinstance(receiver, Container) and arguments.positional:
        added = first(arguments)
        if name == "insert":
            added = nth(arguments, 1) or UNKNOWN
        if name in ("append", "add", "insert", "appendleft"):
            known = receiver.elements
            elements = (
                (*known, added)
                if known is not None and name == "append" and not frame.loop_depth and len(known) < 64
                else None
            )
            return Container(
                receiver.kind, added if known == () else union([receiver.element, added]), elements
            )
        if name in ("extend", "update"):
            element = element_of(frame.world, added)
            return Container(
                receiver.kind, element if receiver.elements == () else union([receiver.element, element])
            )
    return None
