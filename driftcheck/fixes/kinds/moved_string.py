"""A string that names something by its old place names it by its new one."""

from __future__ import annotations

from driftcheck.fixes.operations import Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.strings import replaced_text
from driftcheck.infer.moves import moved_name
from driftcheck.uses import PatchUse, StringUse

CODES = frozenset({"DC105", "DC106"})


def propose(job: Job) -> Proposal | None:
    use, missing = job.use, job.answer.symbol
    if not isinstance(use, (StringUse, PatchUse)) or job.style is not None:
        return None
    if isinstance(use, StringUse):
        missing = use.missing or ""
    owner, _, name = missing.rpartition(".")
    move = moved_name(job.view.world, owner, name) if owner else None
    if move is None:
        return None
    new = f"{move.module.name}.{move.name}" if move.name else move.module.name
    written, spelled = missing, new
    span = replaced_text(job.source, use.node, written)
    if span is None and move.name:
        written, spelled = f"{owner}:{name}", f"{move.module.name}:{move.name}"
        span = replaced_text(job.source, use.node, written)
    if span is None:
        return None
    doubts = () if move.sure else (move.doubt or f"{name} is defined in more than one place",)
    return Proposal((Replacement(span, spelled),), f"name it {spelled}", doubts)
