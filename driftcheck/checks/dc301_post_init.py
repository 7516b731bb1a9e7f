"""DC301: a ``__post_init__`` of the consumer's that does not take the InitVars that its bases have."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.callables import decorator_effect
from driftcheck.infer.constructors import Field, fields_of
from driftcheck.infer.hierarchy import class_members
from driftcheck.infer.overrides import Ancestry, ancestry, as_called, live_method, provider_member
from driftcheck.infer.signatures import Argument, Arguments, Problem, bind
from driftcheck.infer.values import UNKNOWN
from driftcheck.infer.world import World
from driftcheck.uses import ClassUse, Use
from driftcheck.uses.holding import name_span

_HOOK = "__post_init__"


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, ClassUse) or use.assumed is not None:
        return
    world = view.world
    line = ancestry(world, use.cls)
    owner = next((c for c in line.order if isinstance(c, ClassDef) and class_members(world, c, _HOOK)), None)
    maker = _maker(world, line) if line.complete and owner is not None else None
    if owner is None or maker is None or world.is_provider(owner.module):
        return
    function = live_method(world, owner, _HOOK)
    given = [one for one in fields_of(world, maker) if one.init_var]
    problems = _problems(world, line, owner, given)
    if function is None or not problems:
        return
    base = provider_member(world, line, _HOOK)
    if base is not None and _problems(world, line, base, given):
        return  # then it is not called with the fields that were found
    new = [one for one in given if world.is_provider(one.owner.module)]
    if not new and base is None:
        return
    where = new[-1].owner if new else base
    assert where is not None
    names = ", ".join(one.name for one in given)
    several = "s" if len(given) > 1 else ""
    said = f"the InitVar{several} {names}" if given else "nothing"
    yield Answer(
        "DC301",
        function.module.path,
        name_span(function.module.source, function),
        f"{where.qualname}.{_HOOK}",
        f"{owner.name}.{_HOOK} is called with {said}, and {_says(problems[0])} "
        f"(the constructor of {maker.name} in {view.version})",
        subject=f"{problems[0].kind}:{names}",
        evidence=tuple(view.evidence(one.owner.module, one.line) for one in new),
    )


def _maker(world: World, line: Ancestry) -> ClassDef | None:
    """The class whose fields make the constructor that the object gets; None where an ``__init__`` is written."""
    for owner in line.order:
        if not isinstance(owner, ClassDef) or class_members(world, owner, "__init__"):
            return None
        if any(decorator_effect(world, owner.module, d) == "dataclass" for d in owner.header.decorator_list):
            return owner
    return None


def _problems(world: World, line: Ancestry, owner: ClassDef, given: list[Field]) -> list[Problem]:
    function = live_method(world, owner, _HOOK)
    signature = as_called(world, function, line.cls) if function is not None else None
    if signature is None:
        return []
    return bind(signature, Arguments([Argument(UNKNOWN, one.annotation) for one in given]))


def _says(problem: Problem) -> str:
    if problem.kind == "too-many-positional":
        return f"takes {problem.count or 'none'}"
    return f"requires {', '.join(problem.names)}"
