"""The abstract methods that a class has left."""

from __future__ import annotations

import ast

from driftcheck.index.functions import FunctionDef
from driftcheck.infer.attributes import is_dynamically_decorated
from driftcheck.infer.hierarchy import PROTOCOLS, class_members, external_members
from driftcheck.infer.overrides import Ancestry, live_method
from driftcheck.infer.values import External
from driftcheck.infer.world import World


def unimplemented(world: World, line: Ancestry) -> list[FunctionDef] | None:
    """The abstract methods of the provider's bases that nothing implements; None where that is not known."""
    if not line.complete or not _is_abstract_kind(line):
        return None
    done: set[str] = set()
    left: list[FunctionDef] = []
    for owner in line.order:
        if isinstance(owner, External):
            members = external_members(world, owner)
            if members is None:
                return None
            done |= members - _OBJECT
            continue
        for name in owner.members:
            bindings = class_members(world, owner, name)
            if name in done or not bindings:
                continue
            done.add(name)
            function = live_method(world, owner, name)
            if function is not None and is_abstract(function):
                left.append(function)
        if is_dynamically_decorated(world, owner, ""):
            return None
    return left


_OBJECT = frozenset(dir(object))


def _is_abstract_kind(line: Ancestry) -> bool:
    """Whether instances are refused: the metaclass is ABCMeta somewhere in the line."""
    for owner in line.order:
        if isinstance(owner, External):
            if owner.path == "abc.ABC" or owner.path in PROTOCOLS:
                return True
            continue
        for keyword in owner.header.keywords:
            if (
                keyword.arg == "metaclass"
                and getattr(keyword.value, "attr", getattr(keyword.value, "id", "")) == "ABCMeta"
            ):
                return True
    return False


def is_abstract(function: FunctionDef) -> bool:
    """Whether a method is marked as abstract."""
    for decorator in function.decorators:
        name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
        if name in ("abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"):
            return True
    return False
