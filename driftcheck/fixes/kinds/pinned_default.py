"""A default that changed is passed as it behaved on known-good; the reason is the fix's description."""

from __future__ import annotations

import ast

from driftcheck.fixes.defaults import behaved
from driftcheck.fixes.keeping import conditional
from driftcheck.fixes.operations import AddArgument, CallChange, Operation
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.infer.callables import signature_of
from driftcheck.infer.defaults import omitted_defaults
from driftcheck.infer.values import options
from driftcheck.uses import CallUse

CODES = frozenset({"DC406"})


def propose(job: Job) -> Proposal | None:
    use, earlier, name = job.use, job.earlier_call, job.answer.subject
    if (
        not isinstance(use, CallUse)
        or not isinstance(use.node, ast.Call)
        or job.call is None
        or earlier is None
        or job.before is None
    ):
        return None
    callees = options(use.callee)
    before = omitted_defaults(job.before.world, options(earlier.callee)[0], earlier.arguments).get(name)
    signature = signature_of(job.view.world, callees[0]) if len(callees) == 1 else None
    if before is None or signature is None or name not in signature.keywords():
        return None
    pinned = behaved(job, signature, before)
    if pinned is None:
        return None
    reason = f"pass {name}={pinned.code}: {pinned.why}"
    operations: tuple[Operation, ...] = (CallChange(use.node, (AddArgument(name, pinned.code),)),)
    if job.style is not None and not pinned.same:
        kept = conditional(job, use.node, name, pinned.code, on_target=True)
        operations = (CallChange(use.node, kept.call), *kept.others) if job.style == "gate" else operations
    return Proposal(operations, reason, pinned.doubts)
