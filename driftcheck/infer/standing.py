"""The methods that an object of the consumer's has from the provider now as it had on known-good."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.hierarchy import Mro, may_stand_before, mro
from driftcheck.infer.overrides import Ancestry, live_method, provider_member
from driftcheck.infer.reaching import MAX_CALLERS, is_live
from driftcheck.infer.straight import straight_nodes
from driftcheck.infer.world import World


def standing(world: World, line: Ancestry, earlier_world: World, earlier: Ancestry) -> Iterator[FunctionDef]:
    """Plain methods of the provider's bases that the bases had on known-good too.

    Whoever called them there calls them here, where no override hides them (:func:`runs`). Constructors and
    other special methods are left out, and so are properties and class methods.
    """
    for owner in line.provider_classes(world):
        for name in owner.members:
            function = live_method(world, owner, name)
            if function is None or name.startswith("__") or function.decorators:
                continue
            if provider_member(earlier_world, earlier, name) is not None:
                yield function


def runs(world: World, line: Ancestry, function: FunctionDef) -> bool:
    """Whether a base's method runs on the consumer's objects still: no override hides it, somebody calls it."""
    assert function.owner is not None
    hidden = may_stand_before(world, Mro(line.order, line.complete), function.owner)
    return not hidden and is_live(world, line, function, MAX_CALLERS) is not None


def is_put_on(injected: set[tuple[str, str]], line: Ancestry, name: str) -> bool:
    """Whether the consumer puts something of that name on one of the classes."""
    return any((c.qualname, name) in injected for c in line.order if isinstance(c, ClassDef))


def own_reads(world: World, function: FunctionDef) -> dict[str, ast.Attribute]:
    """What a method reads on its own object whichever way it goes, with the first place of each."""
    key = ("own-reads", function)
    if key not in world.cache:
        world.cache[key] = _own_reads(function)
    return world.cache[key]


def _own_reads(function: FunctionDef) -> dict[str, ast.Attribute]:
    if not function.parameters:
        return {}
    receiver = function.parameters[0].name
    found: dict[str, ast.Attribute] = {}
    try:
        nodes = list(straight_nodes(function.node))
    except SourceFault:
        return {}
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Load()) if name == receiver:
                found.setdefault(attr, node)
    return found


def same_method(world: World, line: Ancestry, name: str) -> FunctionDef | None:
    """The provider's method of that name on a line; None where there is none or several may be meant."""
    owner = provider_member(world, line, name)
    return live_method(world, owner, name) if owner is not None else None


def only_raises(function: FunctionDef) -> bool:
    """Whether a method does nothing but raise NotImplementedError: a hook that somebody must implement."""
    try:
        body = [s for s in function.node.body if not _is_text(s)]
    except SourceFault:
        return False
    if len(body) != 1 or not isinstance(body[0], ast.Raise):
        return False
    raised = body[0].exc
    target = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(target, ast.Name) and target.id == "NotImplementedError"


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def has_subclass_with(world: World, classes: list[ClassDef], cls: ClassDef, name: str) -> bool:
    """Whether one of the classes stands below ``cls`` and has a member of that name of its own."""
    return any(
        other is not cls and cls in (order := mro(world, other).order) and _before(order, cls, name)
        for other in classes
    )


def _before(order: tuple[object, ...], cls: ClassDef, name: str) -> bool:
    return any(isinstance(c, ClassDef) and name in c.members for c in order[: order.index(cls)])
