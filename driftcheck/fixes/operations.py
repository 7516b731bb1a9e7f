"""What a repair does to the source, before it becomes edits: plain structs, one a kind of change."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.index.functions import FunctionDef, ParameterKind
from driftcheck.model import Span


@dataclass(frozen=True, slots=True)
class DropArgument:
    """Leave out the keyword argument ``name``."""

    name: str


@dataclass(frozen=True, slots=True)
class RenameKeyword:
    """Pass the keyword argument ``old`` as ``new``."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class UnnameKeyword:
    """Pass the keyword argument ``name``, the first behind the positional ones, by position."""

    name: str


@dataclass(frozen=True, slots=True)
class NamePositional:
    """Pass the positional argument at ``index`` by the keyword ``name``."""

    index: int
    name: str


@dataclass(frozen=True, slots=True)
class DropPositional:
    """Leave out the positional argument at ``index``."""

    index: int


@dataclass(frozen=True, slots=True)
class AddArgument:
    """Pass the expression ``code`` by the keyword ``name``."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class AddMapping:
    """Pass ``**(code)``: keywords that only some versions take."""

    code: str


CallOperation = (
    DropArgument | RenameKeyword | UnnameKeyword | NamePositional | DropPositional | AddArgument | AddMapping
)


@dataclass(frozen=True, slots=True)
class CallChange:
    """Operations on the arguments of one call; the node is located by its position."""

    node: ast.Call
    operations: tuple[CallOperation, ...]


@dataclass(frozen=True, slots=True)
class ImportChange:
    """Take ``name`` of a ``from`` import from ``module`` as ``new_name``; what it is bound to stays.

    ``gate`` makes the new place one of two: ``try`` it first, or take it where an expression is true.
    """

    node: ast.ImportFrom
    name: str
    module: str
    new_name: str
    gate: str | None = None


@dataclass(frozen=True, slots=True)
class ParameterWanted:
    """A parameter to be taken; ``default`` is an expression, None without one."""

    name: str
    kind: ParameterKind
    default: str | None = None

    @property
    def shown(self) -> str:
        return f"**{self.name}" if self.kind == "var_keyword" else self.name


@dataclass(frozen=True, slots=True)
class ParametersAdded:
    """The function takes further parameters."""

    function: FunctionDef
    parameters: tuple[ParameterWanted, ...]


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put ``text`` in the place of a region."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class InsertAfter:
    """Put a statement, written without indentation, after the statement that holds ``node``."""

    node: ast.AST
    code: str


@dataclass(frozen=True, slots=True)
class ImportNeeded:
    """The file needs this import statement at its top level, unless it has it."""

    code: str


Operation = CallChange | ParametersAdded | ImportChange | Replacement | InsertAfter | ImportNeeded
