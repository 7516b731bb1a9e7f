"""One reference of the consumer to the provider, as one version answers it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from packaging.requirements import Requirement

from driftcheck.index.classes import ClassDef
from driftcheck.infer.attributes import Lookup
from driftcheck.infer.narrowed import Narrowed
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import FunctionValue, Value
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

    @property
    def place(self) -> tuple[str, int, int]:
        """The node's place in the file, as interpretation notes what it reached."""
        return (self.path, self.node.lineno, self.node.col_offset)  # type: ignore[attr-defined]


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
class NarrowedUse(Use):
    """A read of ``name`` on an object of which a test said only that its class is below ``cls``."""

    cls: ClassDef
    name: str


@dataclass(frozen=True, slots=True)
class CallUse(Use):
    """A call with its arguments."""

    callee: Value
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class StoreUse(Use):
    """An assignment to ``receiver.name``."""

    receiver: Value
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class ValueUse(Use):
    """A value of the provider in a place that asks something of it.

    ``how`` is what the interpretation said: ``base`` (of a class), ``class-check`` (``isinstance``,
    ``later-class-check`` behind another class), ``class-argument`` (declared as a class), ``subscript``.
    """

    how: str
    value: Value

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"ValueUse:{self.how}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class BoundUse(Use):
    """A function of the consumer put in the place of ``method`` on a receiver whose class is not known.

    ``part``: what a test said of the object that the receiver was read from.
    """

    function: FunctionValue
    method: str
    part: Narrowed | None = None


@dataclass(frozen=True, slots=True)
class ClassUse(Use):
    """A class of the consumer below one of the provider's; ``assumed``: a base that only its name stands for."""

    cls: ClassDef
    assumed: ClassDef | None = None


@dataclass(frozen=True, slots=True)
class PatchUse(Use):
    """Something put on a module, class or object of the provider under ``name``.

    ``how``: assigned, or through a helper that raises where the name is not there (``asserted``).
    ``tested``: the code asked for the name before. ``assumed``: the receiver is what its name stands for.
    """

    receiver: Value
    name: str
    value: Value
    how: Literal["assigned", "asserted"] = "assigned"
    tested: bool = False
    assumed: bool = False

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"PatchUse:{self.name}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class NamedCallUse(CallUse):
    """A call of a method whose name is a string, bound to what the name finds (see ``infer/dispatch.py``)."""


@dataclass(frozen=True, slots=True)
class NamedMethodUse(Use):
    """A method named by a string: what the name finds on the classes that are asked, the deciding one last."""

    name: str
    targets: tuple[ClassDef, ...]
    found: Value
    missing: bool
    contract: str


@dataclass(frozen=True, slots=True)
class StringUse(Use):
    """A string that names a module, or something in one, of the provider: ``pkg.mod:Class``.

    ``whole_module``: the string is a module's name. ``missing``: the first part that is not there; ``owner``
    what that part is looked up on.
    """

    text: str
    missing: str | None
    owner: Value
    whole_module: bool = False

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"StringUse:{self.text}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class GroupUse(Use):
    """A group of the provider's under which the consumer registers entry points; ``listed`` are their names."""

    group: str
    listed: str

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"GroupUse:{self.group}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class EnvironmentUse(Use):
    """An environment variable by the provider's prefix: ``set`` for it to read, or only read."""

    name: str
    is_set: bool

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"EnvironmentUse:{self.name}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class RequirementUse(Use):
    """A requirement of the consumer on something that the provider may require too.

    ``extras`` are those of the provider that the consumer asks for.
    """

    requirement: Requirement
    extras: frozenset[str]

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"RequirementUse:{self.requirement.name}", self.path, self.span)


@dataclass(frozen=True, slots=True)
class CommandUse(Use):
    """An option in a command line of the provider's ``program``; ``flag`` begins with ``--``."""

    program: str
    flag: str

    @property
    def key(self) -> tuple[str, str, Span]:
        return (f"CommandUse:{self.flag}", self.path, self.span)
