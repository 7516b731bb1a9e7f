"""An override takes what the provider passes now, and passes it on where it calls its base."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import ParametersAdded
from driftcheck.fixes.parameters import passed_on, wanted_parameters
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.overrides import Override, ancestry, overrides
from driftcheck.uses import ClassUse

CODES = frozenset({"DC301"})


def propose(job: Job) -> Proposal | None:
    override = _override(job)
    if override is None or override.function is None or override.base_function is None:
        return None
    wanted = wanted_parameters(job.answer.subject, override.function, override.base_function)
    if not wanted:
        return None
    calls = _super_calls(override.function)
    names = ", ".join(p.shown for p in wanted)
    doubts = () if calls else (f"what {names} asks for is not heeded",)
    operations = (ParametersAdded(override.function, tuple(wanted)), *passed_on(calls, wanted))
    return Proposal(operations, f"take {names}, as {override.base.name}.{override.name} does", doubts)


def _override(job: Job) -> Override | None:
    """The override that the finding is anchored at."""
    use = job.use
    if not isinstance(use, ClassUse):
        return None
    line = job.answer.span.line
    for one in overrides(job.view.world, ancestry(job.view.world, use.cls, use.assumed)):
        function = one.function
        if function is not None and function.module.path == job.answer.path and function.line == line:
            return one
    return None


def _super_calls(function: FunctionDef) -> list[ast.Call]:
    """The calls by which the override hands on to its base."""
    found = []
    for node in nodes_of(function.node):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name)) if (
                name == function.name
            ):
                found.append(node)
    return found
