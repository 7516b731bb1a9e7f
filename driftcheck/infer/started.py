"""Functions that are handed to a thread or a process together with their arguments."""

from __future__ import annotations

import ast

from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.values import UNKNOWN, Container, FunctionValue, TupleOf
from driftcheck.infer.world import World


def started(world: World, node: ast.Call, arguments: Arguments) -> tuple[FunctionValue, Arguments] | None:
    """What ``Thread(target=f, args=(…))`` will call, and with what; None where nothing is known to be passed.

    Any call that takes both keywords counts, since contexts and pools hide the class. Each is told once.
    """
    target, given = arguments.keywords.get("target"), arguments.keywords.get("args")
    if target is None or given is None or not isinstance(target.value, FunctionValue):
        return None
    if world.is_provider(target.value.definition.module):
        return None
    elements = given.value.elements if isinstance(given.value, (TupleOf, Container)) else None
    if not elements or all(element is UNKNOWN for element in elements):
        return None
    key = ("started", id(node), target.value.definition, elements)
    if key in world.cache:
        return None
    world.cache[key] = True
    return target.value, Arguments([Argument(element, node) for element in elements])
