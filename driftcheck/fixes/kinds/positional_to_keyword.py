"""Positional arguments whose place changed, or is none any more, are passed by the names they had."""

from __future__ import annotations

import ast

from driftcheck.fixes.meaning import meaning
from driftcheck.fixes.operations import CallChange, CallOperation, DropPositional, NamePositional
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.index.functions import Parameter
from driftcheck.infer.callables import signature_of
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import options
from driftcheck.infer.world import World
from driftcheck.uses import CallUse

CODES = frozenset({"DC203", "DC204"})


def propose(job: Job) -> Proposal | None:
    use, earlier = job.use, job.earlier_call
    if (
        not isinstance(use, CallUse)
        or not isinstance(use.node, ast.Call)
        or job.call is None
        or earlier is None
        or job.before is None
    ):
        return None
    now, then = _signature(job.view.world, use), _signature(job.before.world, earlier)
    if now is None or then is None or any(isinstance(a, ast.Starred) for a in use.node.args):
        return None
    if [one.node for one in use.arguments.positional] != use.node.args:
        # The arguments of a partial call: its own first one is the function.
        return None
    old, new = then.positional(), now.positional()
    first = next(
        (
            n
            for n in range(len(use.node.args))
            if n >= len(new) or n >= len(old) or old[n].name != new[n].name
        ),
        None,
    )
    if first is None or len(use.node.args) > len(old):
        return None
    named: list[CallOperation] = []
    doubts: list[str] = []
    for number in range(first, len(use.node.args)):
        name = old[number].name
        if job.answer.code == "DC203" and name not in now.keywords() and all(p.name != name for p in new):
            named.append(DropPositional(number))
            doubts += meaning(job, name, use.node.args[number])
            continue
        if name not in now.keywords() or old[number].kind == "positional":
            return None
        named.append(NamePositional(number, name))
    if any(keyword.arg is None for keyword in use.node.keywords):
        doubts.append("** may hold one of them too")
    return Proposal((CallChange(use.node, tuple(named)),), _said(named, old), tuple(dict.fromkeys(doubts)))


def _said(named: list[CallOperation], old: list[Parameter]) -> str:
    kept = [one.name for one in named if isinstance(one, NamePositional)]
    gone = [old[one.index].name for one in named if isinstance(one, DropPositional)]
    parts = [f"pass {', '.join(kept)} by keyword"] if kept else []
    return " and ".join([*parts, f"leave out {', '.join(gone)}"] if gone else parts)


def _signature(world: World, use: CallUse) -> Signature | None:
    found = options(use.callee)
    return signature_of(world, found[0]) if len(found) == 1 else None
