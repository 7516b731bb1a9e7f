"""DC103: the base reads on its object what only its own ``__init__`` sets, which the consumer's leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.constructed import left_out
from driftcheck.infer.hierarchy import class_members, external_members
from driftcheck.infer.overrides import Ancestry, ancestry
from driftcheck.infer.standing import is_put_on, own_reads, runs, same_method, standing
from driftcheck.infer.subclasses import put_from_outside
from driftcheck.infer.values import External
from driftcheck.infer.world import World
from driftcheck.uses import ClassUse, Use
from driftcheck.uses.holding import name_span


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if (
        not isinstance(target, ClassUse)
        or not isinstance(known_good, ClassUse)
        or target.assumed
        or known_good.assumed
    ):
        return
    line, earlier = ancestry(view.world, target.cls), ancestry(before.world, known_good.cls)
    if not line.complete or any(isinstance(c, ClassDef) and c.is_open for c in line.order):
        return
    try:
        own, skipped = left_out(view.world, line)
    except LookupError:
        return
    unset = {name: init for init in skipped for name in init.assigned_attributes}
    if not unset:
        return
    told: set[str] = set()
    for function in standing(view.world, line, before.world, earlier):
        for name in sorted(own_reads(view.world, function).keys() & unset.keys() - told):
            if _read_before(before, earlier, function, name) or is_put_on(view.uses.injected, line, name):
                continue
            if _is_unset(view.world, line, skipped, name) and runs(view.world, line, function):
                told.add(name)
                yield _answer(view, own, unset[name], function, name)


def _read_before(before: View, earlier: Ancestry, function: FunctionDef, name: str) -> bool:
    then = same_method(before.world, earlier, function.name)
    return then is not None and name in own_reads(before.world, then)


def _is_unset(world: World, line: Ancestry, skipped: list[FunctionDef], name: str) -> bool:
    """Whether nothing else gives the object the attribute: no class, no other method, nobody from outside."""
    for owner in line.order:
        if isinstance(owner, External):
            if name in (external_members(world, owner) or ()):
                return False
        elif class_members(world, owner, name) or any(
            name in f.assigned_attributes for f in _others(owner, skipped)
        ):
            return False
    return not put_from_outside(world, name) and not _consumer_sets(world, name)


def _others(owner: ClassDef, skipped: list[FunctionDef]) -> Iterator[FunctionDef]:
    lines = {(function.owner, function.name) for function in skipped}
    return (f for f in owner.methods() if (f.owner, f.name) not in lines)


def _consumer_sets(world: World, name: str) -> bool:
    """Whether the consumer stores the attribute on anything, or names it in a string."""
    escaped = re.escape(name)
    pattern = re.compile(rf"\.{escaped}\s*(?::[^=\n]+)?[-+*/|&]?=(?!=)|[\"']{escaped}[\"']".encode())
    index = world.consumer
    return any(pattern.search(index.peek(path)) for path in index.files_mentioning(name))


def _answer(view: View, own: FunctionDef, init: FunctionDef, function: FunctionDef, name: str) -> Answer:
    assert own.owner is not None and init.owner is not None and function.owner is not None
    line = own_reads(view.world, function)[name].lineno
    reader = f"{function.owner.name}.{function.name}"
    return Answer(
        "DC103",
        own.module.path,
        name_span(own.module.source, own),
        f"{init.owner.qualname}.{name}",
        f"{own.owner.name}.__init__ leaves out {init.owner.name}.__init__, which alone sets {name}; "
        f"{reader} reads it in {view.version}, if that is called",
        subject=name,
        confidence="likely",
        evidence=(view.evidence(function.module, line), view.evidence(init.module, init.line)),
    )
