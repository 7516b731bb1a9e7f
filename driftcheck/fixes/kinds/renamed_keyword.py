"""A keyword whose parameter has another name now is passed under that name."""

from __future__ import annotations

import ast

from driftcheck.fixes.keeping import renamed_conditionally
from driftcheck.fixes.operations import CallChange, Operation, RenameKeyword
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.uses import CallUse

CODES = frozenset({"DC205", "DC206"})


def propose(job: Job) -> Proposal | None:
    use, old, new = job.use, job.answer.subject, job.answer.replacement
    if not isinstance(use, CallUse) or not isinstance(use.node, ast.Call) or job.call is None or not new:
        return None
    written = next((one for one in use.node.keywords if one.arg == old), None)
    if written is None or any(one.arg == new for one in use.node.keywords):
        return None
    operations: tuple[Operation, ...] = (CallChange(use.node, (RenameKeyword(old, new),)),)
    if job.style is not None:
        operations = renamed_conditionally(job, use.node, written, new)
    doubts = (f"{new} is taken to mean what {old} did",)
    return Proposal(operations, f"pass {old} as {new}", doubts)
