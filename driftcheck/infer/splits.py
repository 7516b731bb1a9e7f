"""Methods that lost a call to a new method of their own: whoever called the old one must now call both."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef, own_nodes
from driftcheck.index.source import SourceFault
from driftcheck.infer.run import MAX_BODY
from driftcheck.infer.states import method_of, methods_of
from driftcheck.infer.stores import SELF_CALL
from driftcheck.infer.straight import straight_calls
from driftcheck.infer.values import ClassValue, FunctionValue, Instance
from driftcheck.infer.world import World

Step = tuple[str, tuple[str, ...]]
MAX_DEPTH = 4
"""Methods of the object that are followed from one to the next."""


@dataclass(frozen=True, slots=True)
class Split:
    """``call`` stood in ``before`` and now stands in ``new``, which ``now`` does not call."""

    call: str
    before: FunctionDef
    line: int
    now: FunctionDef
    new: FunctionDef


def split_of(world: World, value: FunctionValue, before: World, earlier: FunctionValue) -> Split | None:
    """The call that a method lost to a new method of its class; None where it lost none."""
    cls, old_cls = _class_of(value), _class_of(earlier)
    if cls is None or old_cls is None:
        return None
    key = ("split", cls, value.definition, old_cls, earlier.definition)
    if key not in world.cache:
        world.cache[key] = _split(world, cls, value.definition, before, old_cls, earlier.definition)
    found: Split | None = world.cache[key]
    return found


def _split(
    world: World, cls: ClassDef, now: FunctionDef, before: World, old_cls: ClassDef, old: FunctionDef
) -> Split | None:
    if now.text == old.text or max(len(now.text), len(old.text)) > MAX_BODY:
        return None
    lost = _lost(world, cls, old, now)
    if not lost:
        return None
    for new in methods_of(world, cls):
        if new.name.startswith("_") or method_of(before, old_cls, new.name) is not None:
            continue
        if _leads_to(world, cls, now, new.name):
            continue
        for text, line in lost.items():
            if text in _calls(new):
                return Split(text, old, line, now, new)
    return None


def _class_of(value: FunctionValue) -> ClassDef | None:
    match value.receiver:
        case Instance(cls=ClassValue(definition=cls)):
            return cls
    return None


def _lost(world: World, cls: ClassDef, old: FunctionDef, now: FunctionDef) -> dict[str, int]:
    """Calls on the object that the old body always made and nothing the new one runs makes: text and line."""
    try:
        calls = [c for c in straight_calls(old.node) if _on_self(c) and not _is_same_step(c, old)]
        made = _made(world, cls, now) if calls else frozenset()
    except (SourceFault, AssertionError, IndexError):
        return {}
    return {ast.unparse(c): c.lineno for c in calls if _step(c) not in made}


def _made(world: World, cls: ClassDef, method: FunctionDef) -> frozenset[Step]:
    """The steps that a method takes, itself or through others of its object; raises SourceFault."""
    methods = {other.name: other for other in methods_of(world, cls)}
    reached, pending = {method}, [method]
    for _ in range(MAX_DEPTH):
        named = {name for one in pending for name in SELF_CALL.findall(one.text)}
        pending = [
            methods[name] for name in sorted(named) if name in methods and methods[name] not in reached
        ]
        reached.update(pending)
    return frozenset(
        _step(node)
        for one in reached
        if len(one.text) <= MAX_BODY
        for node in own_nodes(one.node)
        if isinstance(node, ast.Call)
    )


def _step(call: ast.Call) -> Step:
    """What a call does, whatever it hands over: the callee, and the names that it is given as strings."""
    said = (a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
    return ast.unparse(call.func), tuple(said)


def _on_self(call: ast.Call) -> bool:
    node: ast.expr = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self" and isinstance(call.func, ast.Attribute)


def _is_same_step(call: ast.Call, method: FunctionDef) -> bool:
    """Whether a call only hands the method's own name on."""
    return any(isinstance(a, ast.Constant) and a.value == method.name for a in call.args)


def _calls(function: FunctionDef) -> set[str]:
    try:
        return {ast.unparse(n) for n in own_nodes(function.node) if isinstance(n, ast.Call)}
    except (SourceFault, AssertionError, IndexError):
        return set()


def _leads_to(world: World, cls: ClassDef, method: FunctionDef, name: str, depth: int = 0) -> bool:
    """Whether a method runs another one of its object, through others on ``self`` if need be."""
    if f"self.{name}" in method.text:
        return True
    if depth >= 3:
        return False
    for other in methods_of(world, cls):
        if (
            other is not method
            and f"self.{other.name}(" in method.text
            and _leads_to(world, cls, other, name, depth + 1)
        ):
            return True
    return False
