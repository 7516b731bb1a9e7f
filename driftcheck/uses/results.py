"""What the consumer does with the result of a call: subscript it, unpack it, ask for its truth, await it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.infer.frame import Frame
from driftcheck.infer.origins import origin_of
from driftcheck.infer.values import Container, Instance, Origin, TupleOf, Value, options
from driftcheck.model import Span
from driftcheck.uses.use import Use


@dataclass(frozen=True, slots=True)
class ResultUse(Use):
    """One thing done with a value. ``origin`` is the call that it is the unchanged result of, if it is one."""

    how: str
    value: Value
    origin: Origin | None

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"ResultUse:{self.how}", self.path, self.span)


def result_use(
    frame: Frame, node: ast.AST, how: str, value: Value, caught: frozenset[str]
) -> ResultUse | None:
    """The use, where it can matter: something of a call's result, or the truth of an array."""
    subject = _subject(node, how)
    origin = origin_of(frame, subject) if isinstance(subject, ast.expr) else None
    if origin is None and not (
        how in _TRUTHS and any(isinstance(option, _OBJECTS) for option in options(value))
    ):
        return None
    source = frame.scope.module.source
    return ResultUse(source.path, source.span(node), node, caught, how, value, origin)


_TRUTHS = frozenset({"truth", "contains"})
_OBJECTS = (Instance, Container, TupleOf)
"""What may be an array on one version and is something else on another."""


def _subject(node: ast.AST, how: str) -> ast.AST:
    """The expression whose value is used, where the node is the whole use."""
    match node:
        case ast.Subscript(value=value) if how in ("subscript", "slice"):
            return value
        case ast.Attribute(value=value) if how == "attribute":
            return value
        case ast.Await(value=value) if how == "await":
            return value
    return node
