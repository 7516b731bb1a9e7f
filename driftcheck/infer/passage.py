"""Whether a call runs a function of the provider, as far as declared types tell."""

from __future__ import annotations

import ast
from collections import deque

from driftcheck.index.functions import FunctionDef, own_nodes
from driftcheck.index.source import SourceFault
from driftcheck.infer.declared import declared_value, receiver_in
from driftcheck.infer.run import MAX_BODY
from driftcheck.infer.states import method_of
from driftcheck.infer.strikes import overriding
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Value, options
from driftcheck.infer.world import World

MAX_FUNCTIONS = 150
"""Functions that are looked through for one call; what lies beyond is not known."""


def runs(world: World, callee: Value, wanted: FunctionDef) -> bool:
    """Whether calling a value may run ``wanted``: by a chain of calls on objects of known classes."""
    pending: deque[FunctionValue] = deque(_start(world, callee))
    seen: set[FunctionDef] = set()
    while pending and len(seen) < MAX_FUNCTIONS:
        value = pending.popleft()
        if value.definition is wanted:
            return True
        if value.definition in seen or not world.is_provider(value.definition.module):
            continue
        seen.add(value.definition)
        pending.extend(_called(world, value, wanted))
    return False


def _start(world: World, callee: Value) -> list[FunctionValue]:
    found: list[FunctionValue] = []
    for option in options(callee):
        match option:
            case FunctionValue():
                found.append(option)
            case ClassValue(definition=cls):
                constructor = method_of(world, cls, "__init__")
                found += [FunctionValue(constructor, Instance(option))] if constructor is not None else []
    return found


def _called(world: World, value: FunctionValue, wanted: FunctionDef) -> list[FunctionValue]:
    function = value.definition
    if len(function.text) > MAX_BODY:
        return []
    try:
        node = function.node
    except (SourceFault, AssertionError, IndexError):
        return []
    if value.receiver is None and function.owner is not None:
        value = FunctionValue(function, receiver_in(world, function))
    found: list[FunctionValue] = []
    for call in own_nodes(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            for option in options(declared_value(world, value, call.func.value)):
                match option:
                    case Instance(cls=ClassValue(definition=cls)):
                        method = method_of(world, cls, call.func.attr)
                        if method is not None:
                            found.append(FunctionValue(method, option))
                        if call.func.attr == wanted.name and wanted in overriding(world, cls, wanted.name):
                            found.append(FunctionValue(wanted, receiver_in(world, wanted)))
    return found
