"""What the consumer's own calls pass for a parameter whose annotation is all that is known of it."""

from __future__ import annotations

import ast
from typing import Any

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callsites import Site, consumer_sites
from driftcheck.infer.frame import Frame
from driftcheck.infer.hierarchy import is_subclass
from driftcheck.infer.run import interpret
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.values import NONE, ClassValue, External, FunctionValue, Instance, Value, options
from driftcheck.infer.world import World

MAX_SITES = 20
"""How many calls are looked at."""


def gets_another(world: World, function: FunctionDef, parameter: str, declared: ClassDef) -> bool:
    """Whether some call of a function of the consumer's passes what is no object of the declared class."""
    key = ("gets-another", function, parameter, declared)
    if key not in world.cache:
        name = function.owner.name if function.owner and function.name == "__init__" else function.name
        sites = (consumer_sites(world, name, called=True) or [])[:MAX_SITES]
        world.cache[key] = any(
            _is_another(world, option, declared)
            for site in sites
            for option in options(_passed(world, site, function, parameter))
        )
    return world.cache[key]


def _is_another(world: World, value: Value, declared: ClassDef) -> bool:
    """Whether a value is an object of a class that has nothing to do with the declared one."""
    match value:
        case Instance(cls=ClassValue(definition=cls)):
            return is_subclass(world, cls, declared) is False and is_subclass(world, declared, cls) is False
        case Instance(cls=External(path=path)):
            return not path.startswith("builtins.")
    return False


def _passed(world: World, site: Site, function: FunctionDef, parameter: str) -> Value:
    """What a call passes for a parameter, as the function around it has it."""
    if site.call is None or site.function is None:
        return NONE
    owner = site.function.owner
    receiver = Instance(ClassValue(owner)) if owner is not None else None
    listener = _Listener(site.call)
    interpret(world, FunctionValue(site.function, receiver), None, heard=False, listener=listener)
    if listener.arguments is None or not _is_of(listener.callee, function):
        return NONE
    given: Argument | None = listener.arguments.keywords.get(parameter)
    names = [p.name for p in function.parameters]
    number = names.index(parameter) - (1 if function.owner is not None else 0) if parameter in names else -1
    if given is None and 0 <= number < len(listener.arguments.positional):
        given = listener.arguments.positional[number]
    return given.value if given is not None else NONE


def _is_of(callee: Value | None, function: FunctionDef) -> bool:
    match callee:
        case ClassValue(definition=cls):
            return cls is function.owner
        case FunctionValue(definition=definition):
            return definition is function
    return False


class _Listener:
    """A sink that keeps what one call is given, and hears of nothing else."""

    def __init__(self, call: ast.Call) -> None:
        self.call = call
        self.callee: Value | None = None
        self.arguments: Arguments | None = None

    def called(
        self, frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, result: Value
    ) -> None:
        if node is self.call:
            self.callee, self.arguments = callee, arguments

    def __getattr__(self, name: str) -> Any:
        return _nothing


def _nothing(*heard: object) -> None:
    """Nobody asks about anything but the call."""
