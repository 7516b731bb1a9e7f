"""Uses of an object whose class nobody states, and of which a test said what that class is below."""

from __future__ import annotations

import ast

from driftcheck.infer.attributes import Lookup
from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.narrowed import Narrowed, narrowed_at
from driftcheck.infer.values import Value
from driftcheck.model import Span
from driftcheck.uses.use import NarrowedUse


def narrowed_read(
    frame: Frame, node: ast.AST, name: str, found: list[tuple[Value, Lookup]], caught: frozenset[str]
) -> NarrowedUse | None:
    """The read of an attribute that only the test speaks for; None where something else is known of the object."""
    if not isinstance(node, ast.Attribute) or frame.env is None or path_of(node) in frame.env:
        return None
    narrowed = narrowed_at(frame, node.value)
    if narrowed is None or narrowed.parts or any(answer.status != "unknown" for _, answer in found):
        return None
    module = frame.scope.module
    whole = module.source.span(node)
    span = Span(whole.end_line, whole.end_column - len(name), whole.end_line, whole.end_column)
    return NarrowedUse(module.path, span, node, caught, narrowed.cls, name)


def narrowed_receiver(frame: Frame, node: ast.AST) -> Narrowed | None:
    """What a test says of the object that something is put on, by assignment or by ``setattr``."""
    match node:
        case ast.Attribute(value=receiver) | ast.Call(args=[receiver, *_]):
            return narrowed_at(frame, receiver)
    return None
