"""Whether the consumer does what a contract on a default asks about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from driftcheck.index.classes import ClassDef
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Value, options
from driftcheck.infer.world import World

if TYPE_CHECKING:
    from driftcheck.infer.signatures import Arguments


def names_of(world: World, callee: Value) -> set[str]:
    """The dotted names under which a callee is known: a class and its bases, a method on each of them."""
    found: set[str] = set()
    for option in options(callee):
        match option:
            case ClassValue(definition=cls):
                found |= {owner.qualname for owner in _line(world, cls)}
            case FunctionValue(definition=function, receiver=receiver):
                found.add(function.qualname)
                match receiver:
                    case Instance(cls=ClassValue(definition=cls)) | ClassValue(definition=cls):
                        found |= {f"{owner.qualname}.{function.name}" for owner in _line(world, cls)}
    return found


def _line(world: World, cls: ClassDef) -> Iterable[ClassDef]:
    return [owner for owner in mro(world, cls).order if isinstance(owner, ClassDef)]


def passes(arguments: Arguments, positional: list[str], name: str) -> bool | None:
    """Whether a call gives a parameter; None where ``*`` or ``**`` hide it."""
    if name in arguments.keywords or name in positional[: len(arguments.positional)]:
        return True
    if arguments.open_keywords or (arguments.open_positional and name in positional):
        return None
    return False
