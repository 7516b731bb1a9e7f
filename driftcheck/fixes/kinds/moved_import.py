"""A name that is imported from where it was is imported from where it is now; its binding stays."""

from __future__ import annotations

import ast

from driftcheck.fixes.gates import gate_of
from driftcheck.fixes.operations import ImportChange
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.infer.moves import Move, moved_module, moved_name
from driftcheck.infer.values import Missing, ModuleValue
from driftcheck.uses import ImportUse

CODES = frozenset({"DC101", "DC102"})


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, ImportUse) or use.name is None or not isinstance(use.node, ast.ImportFrom):
        return None
    names = [use.name] if job.answer.code == "DC102" else [alias.name for alias in use.node.names]
    find = moved_name if job.answer.code == "DC102" else moved_module
    moves = [(name, find(job.view.world, use.module, name)) for name in names if name != "*"]
    changes: list[ImportChange] = []
    doubts: list[str] = []
    for name, move in moves:
        if move is None or not move.name:
            return None
        module, new = (move.module.name, move.name) if move.name else _parts(move.module.name)
        changes.append(ImportChange(use.node, name, module, new, gate_of(job, job.style)))
        if not move.sure or move.doubt:
            doubts.append(move.doubt or f"{new} is defined in more than one place")
        elif move.name != name:
            doubts.append(move.doubt)
        doubts += _difference(job, use, name, move)
    return Proposal(tuple(changes), _description(changes), tuple(dict.fromkeys(doubts)))


def _parts(module: str) -> tuple[str, str]:
    """A module as something to be imported from the package that holds it."""
    package, _, name = module.rpartition(".")
    return package, name


def _difference(job: Job, use: ImportUse, name: str, move: Move) -> list[str]:
    """Why the name at its new place may be something else than it was."""
    if job.before is None:
        return []
    before = job.before.world.from_import(use.module, name)
    after = job.view.world.member(move.module, move.name) if move.name else ModuleValue(move.module.name)
    if isinstance(before, Missing) or type(before) is type(after):
        return []
    return [f"{move.name} is another kind of thing now"]


def _description(changes: list[ImportChange]) -> str:
    modules = {change.module for change in changes}
    names = ", ".join(
        change.name if change.name == change.new_name else f"{change.new_name} (was {change.name})"
        for change in changes
    )
    if len(modules) == 1:
        return f"import {names} from {modules.pop()}"
    return "import " + ", ".join(f"{change.new_name} from {change.module}" for change in changes)
