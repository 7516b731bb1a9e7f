"""One reference of the consumer to the provider, as one version answers it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.infer.attributes import Lookup
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import Value
from driftcheck.model import Span


@dataclass(frozen=True, slots=True)
class Use:
    """Where it is (file and region of the consumer) and the exceptions that are caught around it."""

    path: str
    span: Span
    node: ast.AST
    caught: frozenset[str]

    @property
    def key(self) -> tuple[str, str, Span]:
        """What the same use has in common on every version."""
        return (type(self).__name__, self.path, self.span)


@dataclass(frozen=True, slots=True)
class ImportUse(Use):
    """An import of ``module``, and of ``name`` from it (None for ``import module`` and ``*``)."""

    module: str
    name: str | None
    value: Value

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"ImportUse:{self.name}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class AttributeUse(Use):
    """A read of ``receiver.name``; one answer for each value that the receiver may hold."""

    receiver: Value
    name: str
    answers: tuple[tuple[Value, Lookup], ...]


@dataclass(frozen=True, slots=True)
class CallUse(Use):
    """A call with its arguments."""

    callee: Value
    arguments: Arguments
