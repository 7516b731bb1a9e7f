"""A keyword that the callee no longer takes is left out."""

from __future__ import annotations

import ast

from driftcheck.fixes.keeping import conditional
from driftcheck.fixes.meaning import meaning
from driftcheck.fixes.operations import CallChange, DropArgument, Operation, UnnameKeyword
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import text_of
from driftcheck.infer.callables import signature_of
from driftcheck.infer.values import options
from driftcheck.uses import CallUse

CODES = frozenset({"DC201", "DC205"})


def propose(job: Job) -> Proposal | None:
    """Leaves the keyword out, or passes it by position where that is how the parameter is taken now."""
    use, name = job.use, job.answer.subject
    if not isinstance(use, CallUse) or not isinstance(use.node, ast.Call) or job.call is None:
        return None
    written = next((one for one in use.node.keywords if one.arg == name), None)
    if written is None:
        return None
    place = _positional_place(job, use, name)
    if place is not None:
        number = [one.arg for one in use.node.keywords].index(name)
        if (
            number
            or place != len(use.node.args)
            or [one.node for one in use.arguments.positional] != use.node.args
        ):
            return None
        return Proposal((CallChange(use.node, (UnnameKeyword(name),)),), f"pass {name} by position")
    if job.answer.code == "DC205" and job.answer.replacement:
        return None
    drop = CallChange(use.node, (DropArgument(name),))
    operations: tuple[Operation, ...] = (drop,)
    if job.style is not None:
        kept = conditional(job, use.node, name, text_of(job.source, written.value), on_target=False)
        operations = (CallChange(use.node, (DropArgument(name), *kept.call)), *kept.others)
    doubts = meaning(job, name, written.value)
    return Proposal(operations, f"drop the keyword {name}", tuple(doubts))


def _positional_place(job: Job, use: CallUse, name: str) -> int | None:
    """Where the target takes the parameter by position alone; None where it does not."""
    for option in options(use.callee):
        signature = signature_of(job.view.world, option)
        for number, parameter in enumerate(signature.positional() if signature else []):
            if parameter.name == name and parameter.kind == "positional":
                return number
    return None
