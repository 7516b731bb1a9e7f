"""An environment variable that the provider reads under another name."""

from __future__ import annotations

from driftcheck.fixes.operations import Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.strings import replaced_text
from driftcheck.uses import EnvironmentUse

CODES = frozenset({"DC107"})


def propose(job: Job) -> Proposal | None:
    use, new = job.use, job.answer.replacement
    if not isinstance(use, EnvironmentUse) or not new or job.style is not None:
        return None
    span = replaced_text(job.source, use.node, use.name)
    if span is None:
        return None
    return Proposal(
        (Replacement(span, new),), f"{use.name} is {new} now", (f"{new} is taken to mean what it did",)
    )
