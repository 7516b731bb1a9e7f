"""What stands in a function's place takes what the provider passes now, and passes it on to the original."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import ParametersAdded
from driftcheck.fixes.parameters import passed_on, wanted_parameters
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.index.functions import FunctionDef, own_nodes
from driftcheck.infer.replacements import Replaced, members_replaced, replaced
from driftcheck.infer.run import callee_in
from driftcheck.infer.values import FunctionValue, options
from driftcheck.uses import PatchUse

CODES = frozenset({"DC304"})


def propose(job: Job) -> Proposal | None:
    patch = _patch(job)
    if (
        patch is None
        or not isinstance(patch.replacement, FunctionValue)
        or not isinstance(patch.original, FunctionDef)
    ):
        return None
    ours, theirs = patch.replacement.definition, patch.original
    wanted = wanted_parameters(job.answer.subject, ours, theirs)
    if not wanted:
        return None
    calls = _calls_of(job, patch.replacement, theirs)
    names = ", ".join(p.shown for p in wanted)
    doubts = () if calls else (f"what {names} asks for is not heeded",)
    operations = (ParametersAdded(ours, tuple(wanted)), *passed_on(calls, wanted))
    return Proposal(operations, f"take {names}, as {theirs.name} does", doubts)


def _patch(job: Job) -> Replaced | None:
    """The replacement that the finding is anchored at."""
    use, world = job.use, job.view.world
    if not isinstance(use, PatchUse):
        return None
    whole = replaced(world, use.receiver, use.name, use.value)
    if whole is None:
        return None
    for patch in (whole, *members_replaced(world, whole)):
        value = patch.replacement
        if isinstance(value, FunctionValue) and isinstance(patch.original, FunctionDef):
            place = value.definition.module.path, value.definition.line
            if (
                place == (job.answer.path, job.answer.span.line)
                and patch.original.qualname == job.answer.symbol
            ):
                return patch
    return None


def _calls_of(job: Job, replacement: FunctionValue, original: FunctionDef) -> list[ast.Call]:
    """The calls by which the replacement hands on to what it replaces."""
    found = []
    for node in own_nodes(replacement.definition.node):
        if isinstance(node, ast.Call):
            callees = options(callee_in(job.view.world, replacement, node))
            if any(isinstance(c, FunctionValue) and c.definition is original for c in callees):
                found.append(node)
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))
