"""An argument that a call lacks, and a value found for it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.fixes.proposal import Job
from driftcheck.index.functions import Parameter
from driftcheck.index.module import Module
from driftcheck.infer.annotations import annotated
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    Instance,
    Value,
    options,
)
from driftcheck.uses import CallUse


@dataclass(frozen=True)
class Derived:
    """An expression for the argument, where it comes from in words, and why it may be another value."""

    code: str
    why: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Needed:
    """The parameter that a call leaves out, with the call and the signature it meets on the target."""

    job: Job
    use: CallUse
    call: ast.Call
    signature: Signature
    parameter: Parameter

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def declaring(self) -> Module | None:
        """The provider's module that declares the parameter."""
        index = self.job.view.world.provider
        return index.module(index.module_name(self.signature.path)) if self.signature.path else None

    @property
    def declared(self) -> Value:
        """What the parameter's annotation says."""
        module = self.declaring
        if module is None:
            return UNKNOWN
        return annotated(self.job.view.world, module, self.parameter.annotation)

    def admits(self, value: Value) -> bool:
        """Whether the annotation lets the value pass, as far as both are known."""
        declared = self.declared
        if declared is UNKNOWN or value is UNKNOWN:
            return True
        kinds = {_kind(option) for option in options(declared)}
        return None in kinds or {_kind(option) for option in options(value)} <= {*kinds, None}


def _kind(value: Value) -> str | None:
    """A name for the type of a value; None where it could be anything, as another library's alias."""
    match value:
        case Const(value=constant):
            return f"builtins.{type(constant).__name__}"
        case Instance(cls=ClassValue(definition=definition)):
            return definition.qualname
        case Instance(cls=External(path=path)) if path.startswith("builtins."):
            return path
        case Container(kind=kind):
            return f"builtins.{kind}"
        case DictOf():
            return "builtins.dict"
    return None
