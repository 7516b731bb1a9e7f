"""Replacements made by a helper: ``mock.patch.object(Class, "name")``, ``monkeypatch.setattr(…)``."""

from __future__ import annotations

import ast

from driftcheck.infer.facts import PatcherFact
from driftcheck.infer.frame import Frame
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.strings import resolve_string
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Const,
    External,
    Instance,
    MethodOf,
    ModuleValue,
    Value,
)
from driftcheck.uses.use import PatchUse


def helper_path(callee: Value) -> str:
    """The dotted path of a library's function or method; empty for anything else."""
    match callee:
        case External(path=path):
            return path
        case MethodOf(receiver=Instance(cls=External(path=path)), name=name):
            return f"{path}.{name}"
    return ""


def helper_patch(
    frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, caught: frozenset[str]
) -> PatchUse | None:
    """The use that a call of a patching helper is; None for other calls and other targets."""
    fact = frame.world.facts.patchers.get(helper_path(callee))
    if fact is None or arguments.open_positional or fact.unless in arguments.keywords:
        return None
    found = _dotted(frame, arguments, fact) if _is_dotted(arguments, fact) else _plain(arguments, fact)
    if found is None:
        return None
    receiver, name, value = found
    world = frame.world
    match receiver:
        case ModuleValue(name=module) if world.index_of(module) is world.provider:
            pass
        case ClassValue(definition=cls) if world.is_provider(cls.module):
            pass
        case _:
            return None
    path = frame.scope.module.path
    return PatchUse(
        path, frame.scope.module.source.span(node), node, caught, receiver, name, value, "asserted"
    )


def _is_dotted(arguments: Arguments, fact: PatcherFact) -> bool:
    first = _argument(arguments, fact.target)
    return fact.dotted or (
        first is not None and isinstance(first.value, Const) and isinstance(first.value.value, str)
    )


def _argument(arguments: Arguments, number: int, keyword: str = "") -> Argument | None:
    if number < len(arguments.positional):
        return arguments.positional[number]
    return arguments.keywords.get(keyword)


def _plain(arguments: Arguments, fact: PatcherFact) -> tuple[Value, str, Value] | None:
    target, name = _argument(arguments, fact.target), _argument(arguments, fact.name)
    if (
        target is None
        or name is None
        or not isinstance(name.value, Const)
        or not isinstance(name.value.value, str)
    ):
        return None
    value = _argument(arguments, fact.value, fact.keyword)
    return target.value, name.value.value, value.value if value is not None else UNKNOWN


def _dotted(frame: Frame, arguments: Arguments, fact: PatcherFact) -> tuple[Value, str, Value] | None:
    target = _argument(arguments, fact.target)
    if target is None or not isinstance(target.value, Const) or not isinstance(target.value.value, str):
        return None
    owner, _, name = target.value.value.rpartition(".")
    found = resolve_string(frame.world, owner)
    if found is None or found.missing is not None:
        return None
    value = _argument(arguments, 1, fact.keyword)
    return found.value, name, value.value if value is not None else UNKNOWN
