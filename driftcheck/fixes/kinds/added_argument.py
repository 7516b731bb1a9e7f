"""An argument that has become required is passed, with the best value that can be derived for it."""

from __future__ import annotations

import ast

from driftcheck.checks.binding import problems
from driftcheck.fixes.keeping import conditional
from driftcheck.fixes.operations import AddArgument, CallChange, CallOperation, Operation
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.values import Derived, Needed, derive
from driftcheck.index.functions import Parameter
from driftcheck.infer.callables import signature_of
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import options
from driftcheck.uses import CallUse

CODES = frozenset({"DC202"})


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, CallUse) or not isinstance(use.node, ast.Call) or job.call is None:
        return None
    missing = next(((s, p) for s, p in problems(use, job.view) if p.kind == "missing-argument"), None)
    if missing is None:
        return None
    signature, problem = missing
    found = [_value(job, use, signature, name) for name in problem.names]
    additions: list[CallOperation] = []
    others: list[Operation] = []
    for name, derived in zip(problem.names, found, strict=True):
        if job.style is not None and not _taken_before(job, name):
            kept = conditional(job, use.node, name, derived.code, on_target=True)
            additions += kept.call
            others += kept.others
        else:
            additions.append(AddArgument(name, derived.code))
    said = [
        f"{name}={one.code} ({one.why})" if one.why else f"{name}=…"
        for name, one in zip(problem.names, found, strict=True)
    ]
    unknown = [name for name, one in zip(problem.names, found, strict=True) if not one.why]
    by_place = [name for name in problem.names if _positional_only(signature, name)]
    person = f"the value of {', '.join(unknown)} is for a person to choose" if unknown else ""
    if by_place:
        person = f"{', '.join(by_place)} can only be passed by position"
    doubts = tuple(dict.fromkeys(doubt for one in found for doubt in one.doubts))
    return Proposal(
        (CallChange(use.node, tuple(additions)), *others), "pass " + ", ".join(said), doubts, person
    )


def _value(job: Job, use: CallUse, signature: Signature, name: str) -> Derived:
    parameter = _parameter(signature, name)
    assert isinstance(use.node, ast.Call)
    if parameter is None:
        return Derived("...", "")
    return next(derive(Needed(job, use, use.node, signature, parameter)), Derived("...", ""))


def _parameter(signature: Signature, name: str) -> Parameter | None:
    return next((one for one in signature.parameters if one.name == name), None)


def _positional_only(signature: Signature, name: str) -> bool:
    parameter = _parameter(signature, name)
    return parameter is not None and parameter.kind == "positional"


def _taken_before(job: Job, name: str) -> bool:
    """Whether the other version takes the keyword as well, so that passing it needs no condition."""
    call, before = job.earlier_call, job.before
    if call is None or before is None:
        return False
    signatures = [signature_of(before.world, option) for option in options(call.callee)]
    return all(s is not None and (s.open_keywords or name in s.keywords()) for s in signatures)
