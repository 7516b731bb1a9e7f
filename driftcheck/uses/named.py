"""Uses that a call makes through a string: the method it names and the call of that method."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.infer.dispatch import dispatched, sent_functions
from driftcheck.infer.frame import Frame
from driftcheck.infer.run import Pending, queue
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import UNKNOWN, Value
from driftcheck.uses.use import NamedCallUse, NamedMethodUse


def named_uses(
    frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, caught: frozenset[str]
) -> Iterator[NamedMethodUse | NamedCallUse]:
    """What a call by name uses; a function sent in the name's place is queued with its receiver."""
    world = frame.world
    for function in sent_functions(world, callee, arguments):
        queue(world).append(Pending(function))
    call = dispatched(world, callee, arguments)
    if call is None:
        return
    module = frame.scope.module
    place = call.node.value if isinstance(call.node, ast.keyword) else call.node
    span = module.source.span(place)
    yield NamedMethodUse(
        module.path, span, place, caught, call.name, call.targets, call.found, call.missing, call.contract.id
    )
    if call.found is not UNKNOWN:
        yield NamedCallUse(module.path, module.source.span(node), node, caught, call.found, call.arguments)
