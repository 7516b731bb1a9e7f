"""DC302: the base calls a hook that it only raises NotImplementedError in, and the consumer has none."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.holding import function_evidence
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.hierarchy import class_members
from driftcheck.infer.overrides import Ancestry, ancestry
from driftcheck.infer.standing import (
    has_subclass_with,
    is_put_on,
    only_raises,
    own_reads,
    runs,
    same_method,
    standing,
)
from driftcheck.infer.values import External
from driftcheck.infer.world import World
from driftcheck.uses import ClassUse, Use


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if (
        not isinstance(target, ClassUse)
        or not isinstance(known_good, ClassUse)
        or target.assumed
        or known_good.assumed
    ):
        return
    world = view.world
    line, earlier = ancestry(world, target.cls), ancestry(before.world, known_good.cls)
    hooks = _hooks(world, line) if line.complete else {}
    classes = [use.cls for use in view.uses.uses if isinstance(use, ClassUse)] if hooks else []
    for function in standing(world, line, before.world, earlier) if hooks else ():
        for name in sorted(own_reads(world, function).keys() & hooks.keys()):
            if not _is_called(function, own_reads(world, function)[name]) or _was_so(
                before, earlier, function, name
            ):
                continue
            if is_put_on(view.uses.injected, line, name) or has_subclass_with(
                world, classes, target.cls, name
            ):
                continue
            if runs(world, line, function):
                yield _answer(target, view, function, hooks.pop(name))


def _hooks(world: World, line: Ancestry) -> dict[str, FunctionDef]:
    """The methods that the object has from the provider and that only raise."""
    names = {
        function.name
        for cls in line.provider_classes(world)
        if "NotImplementedError" in cls.text
        for function in cls.methods()
        if "NotImplementedError" in function.text
    }
    found = {name: _hook(world, line, name) for name in sorted(names)}
    return {name: function for name, function in found.items() if function is not None}


def _hook(world: World, line: Ancestry, name: str) -> FunctionDef | None:
    """The provider's method of that name that the object has, where it only raises."""
    for owner in line.order:
        if isinstance(owner, External) or not class_members(world, owner, name):
            continue
        if not world.is_provider(owner.module):
            return None
        found = owner.method(name)
        return found if found is not None and only_raises(found) else None
    return None


def _is_called(function: FunctionDef, node: ast.Attribute) -> bool:
    return any(isinstance(n, ast.Call) and n.func is node for n in function.nodes)


def _was_so(before: View, earlier: Ancestry, function: FunctionDef, name: str) -> bool:
    """Whether known-good's method called the same hook, which raised there too."""
    then = same_method(before.world, earlier, function.name)
    return (
        then is not None
        and name in own_reads(before.world, then)
        and _hook(before.world, earlier, name) is not None
    )


def _answer(use: ClassUse, view: View, function: FunctionDef, hook: FunctionDef) -> Answer:
    assert function.owner is not None and hook.owner is not None
    line = own_reads(view.world, function)[hook.name].lineno
    caller = f"{function.owner.name}.{function.name}"
    return Answer(
        "DC302",
        use.path,
        use.span,
        hook.qualname,
        f"{use.cls.name} does not implement {hook.name}, which {hook.owner.name} only raises NotImplementedError "
        f"in and {caller} calls in {view.version}, if that is called",
        subject=hook.name,
        confidence="likely",
        evidence=(view.evidence(function.module, line), *function_evidence(view, hook)),
    )
