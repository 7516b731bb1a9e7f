"""What helpers of the consumer's own put on the provider: patch classes and patching decorators.

``class LoudCrane(Patch[Crane])`` and ``@patches(Crane)`` give the members of a class to another;
``@replaces(Crane, "lift")`` gives one function. The helper's own code says so: it is the consumer's and
sets attributes by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.evaluator import Evaluator
from driftcheck.infer.hierarchy import class_scope
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.strings import resolve_string
from driftcheck.infer.values import ClassValue, Const, FunctionValue, ModuleValue, Scope, Value
from driftcheck.infer.world import World
from driftcheck.uses.patchers import helper_path


@dataclass(frozen=True)
class Graft:
    """One name put on a class or module of the provider; ``function`` is the ``def`` where it is one."""

    target: Value
    name: str
    function: FunctionDef | None


_SKIPPED = frozenset({"__module__", "__doc__", "__qualname__", "__dict__", "__weakref__"})


def class_grafts(world: World, cls: ClassDef) -> Iterator[Graft]:
    """What a class statement gives to a class or module of the provider through a patching helper."""
    try:
        header = cls.header
    except SourceFault:
        return
    evaluator = Evaluator(world, class_scope(world, cls))
    for base in header.bases:
        if isinstance(base, ast.Subscript) and _sets_attributes(world, evaluator.eval(base.value)):
            yield from _members(cls, _targets(world, [evaluator.eval(base.slice)]))
    for decorator in header.decorator_list:
        if isinstance(decorator, ast.Call) and _sets_attributes(world, evaluator.eval(decorator.func)):
            yield from _members(
                cls, _targets(world, [evaluator.eval(argument) for argument in decorator.args])
            )


def function_grafts(world: World, scope: Scope, function: FunctionDef) -> Iterator[Graft]:
    """What a function's decorator puts on the provider: under the name it is told, else the function's."""
    try:
        decorators = function.decorators
    except SourceFault:
        return
    for decorator in decorators:
        if not isinstance(decorator, ast.Call) or not decorator.args:
            continue
        evaluator = Evaluator(world, scope)
        if not _sets_attributes(world, evaluator.eval(decorator.func)):
            continue
        values = [
            evaluator.eval(argument) for argument in [*decorator.args, *(k.value for k in decorator.keywords)]
        ]
        names = [
            v.value
            for v in values
            if isinstance(v, Const) and isinstance(v.value, str) and v.value.isidentifier()
        ]
        for target in _targets(world, values):
            yield Graft(target, names[0] if names else function.name, function)


def _members(cls: ClassDef, targets: list[Value]) -> Iterator[Graft]:
    for target in targets:
        for name, bindings in cls.members.items():
            if name not in _SKIPPED:
                function = cls.method(name) if bindings[-1].kind == "def" else None
                yield Graft(target, name, function)


def _sets_attributes(world: World, helper: Value) -> bool:
    """Whether a class or function of the consumer's own sets attributes by a computed name."""
    match helper:
        case ClassValue(definition=cls) if not world.is_provider(cls.module):
            return "setattr(" in cls.text
        case FunctionValue(definition=function) if not world.is_provider(function.module):
            return "setattr(" in function.text
    return False


def _targets(world: World, values: list[Value]) -> list[Value]:
    found: list[Value] = []
    for value in values:
        match value:
            case ClassValue(definition=cls) if world.is_provider(cls.module):
                found.append(value)
            case ModuleValue(name=name) if world.is_provider(name):
                found.append(value)
            case Const(value=str(text)) if "." in text and world.provider.owns(text.partition(".")[0]):
                resolved = resolve_string(world, text)
                if resolved is not None and isinstance(resolved.value, (ClassValue, ModuleValue)):
                    found.append(resolved.value)
    return found


def named_additions(world: World, callee: Value, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """What a library's function may add to a class of the provider: it gets the class, and a name with a value.

    ``extend_enum(Kind, "NEW", 3)``. Helpers that replace what is there already are known by the rules.
    """
    path = helper_path(callee)
    if not path or path.startswith("builtins.") or path in world.facts.patchers:
        return
    match [argument.value for argument in arguments.positional]:
        case [ClassValue(definition=cls), Const(value=str(name)), *_] if world.is_provider(cls.module):
            if name.isidentifier():
                yield cls.qualname, name
