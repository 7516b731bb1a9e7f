"""Keyword arguments that only one of two versions takes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.fixes.gates import gate_imports, version_test
from driftcheck.fixes.operations import (
    AddMapping,
    CallChange,
    CallOperation,
    DropArgument,
    ImportNeeded,
    Operation,
)
from driftcheck.fixes.proposal import Job
from driftcheck.fixes.slices import text_of


@dataclass(frozen=True)
class Kept:
    """What to add to the call, and what else the file needs for it."""

    call: tuple[CallOperation, ...]
    others: tuple[Operation, ...]


def gate_needs(job: Job) -> tuple[Operation, ...]:
    """What the file needs for a version test."""
    return tuple(ImportNeeded(code) for code in gate_imports(job))


def conditional(job: Job, call: ast.Call, name: str, value: str, on_target: bool) -> Kept:
    """The keyword passed where the callee takes it (shim), or on the versions of one side (gate)."""
    if job.style == "shim":
        callee = text_of(job.source, call.func)
        test = f'"{name}" in inspect.signature({callee}).parameters'
        return Kept(
            (AddMapping(f'({{"{name}": {value}}} if {test} else {{}})'),), (ImportNeeded("import inspect"),)
        )
    first, second = f'{{"{name}": {value}}}', "{}"
    if not on_target:
        first, second = second, first
    mapping = AddMapping(f"({first} if {version_test(job)} else {second})")
    return Kept((mapping,), gate_needs(job))


def renamed_conditionally(job: Job, call: ast.Call, written: ast.keyword, new: str) -> tuple[Operation, ...]:
    """The argument passed under the name that the version takes."""
    old = written.arg
    assert old is not None
    value = text_of(job.source, written.value)
    if job.style == "shim":
        callee = text_of(job.source, call.func)
        test, needs = f'"{new}" in inspect.signature({callee}).parameters', (ImportNeeded("import inspect"),)
    else:
        test, needs = version_test(job), gate_needs(job)  # type: ignore[assignment]
    mapping = AddMapping(f'({{"{new}" if {test} else "{old}": {value}}})')
    return CallChange(call, (DropArgument(old), mapping)), *needs
