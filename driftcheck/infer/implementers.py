"""The provider's classes below a protocol or abstract base, and which of them lack an attribute."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.index.subclassing import Place, all_below, below_alias, class_at, directly_below, text_at
from driftcheck.infer.abstract import is_abstract
from driftcheck.infer.families import foreign_lacks, gives
from driftcheck.infer.hierarchy import is_protocol, mro
from driftcheck.infer.values import External
from driftcheck.infer.world import World


def is_only_a_base(world: World, cls: ClassDef) -> bool:
    """Whether nothing is made of a class itself: it is a protocol, or has abstract methods."""
    return is_protocol(world, cls) or any(is_abstract(function) for function in cls.methods())


def implementers(world: World, cls: ClassDef) -> list[Place]:
    """The provider's classes that name ``cls`` among their bases, directly or through others."""
    key = ("implementers", cls)
    if key not in world.cache:
        world.cache[key] = all_below(world.provider, _direct(world, cls))
    return world.cache[key]


def _direct(world: World, cls: ClassDef) -> list[Place]:
    """The provider's classes that name ``cls`` as a base; none where the consumer has such: it knows which.

    Of known-good seldom more is asked than these; of a target, what stands below them.
    """
    key = ("directly-below", cls)
    if key not in world.cache:
        known = bool(directly_below(world.consumer, cls.name, everywhere=False))
        wide = world.known_good is not None
        found = [] if known else directly_below(world.provider, cls.name, everywhere=wide)
        aliased = [] if known else below_alias(world.provider, cls.name)
        world.cache[key] = list(dict.fromkeys([*found, *aliased]))
    return world.cache[key]


@dataclass
class Split:
    """The classes below a base that lack an attribute, and those that have it or give it to all below them."""

    lacking: list[ClassDef] = field(default_factory=list)
    having: list[Place] = field(default_factory=list)


def split(world: World, cls: ClassDef, name: str) -> Split:
    """What the classes below ``cls``, and itself where objects are made of it, do about an attribute.

    Those of which it is not known are left out, and so is a base that others below it complete.
    """
    key = ("split", cls, name)
    if key not in world.cache:
        walk = _Walk(world, cls, name)
        for place in _direct(world, cls):
            walk.visit(place)
        if not is_only_a_base(world, cls) and lacks(world, cls, name):
            walk.found.lacking.append(cls)
        world.cache[key] = walk.found
    return world.cache[key]


def most_followed(world: World, classes: Iterable[ClassDef]) -> ClassDef:
    """The class below which most others stand: the one that a reader knows."""
    below = {one: len(all_below(world.provider, [Place(one.module.path, one.name)])) for one in classes}
    return min(below, key=lambda one: (-below[one], len(one.qualname), one.qualname))


class _Walk:
    """Goes down from a base. A class that gives the attribute by its text gives it to all below."""

    def __init__(self, world: World, cls: ClassDef, name: str) -> None:
        self.world = world
        self.cls = cls
        self.name = name
        self.found = Split()
        self.seen: dict[Place, set[bool | None]] = {}
        attribute = re.escape(name)
        stored = rf"[ \t]+self\.{attribute}\s*(?::[^=\n]+)?=(?!=)"
        member = rf"(?: {{4}}|\t)(?:def\s+{attribute}\b|{attribute}\s*[:=])"
        self.text = re.compile(rf"\n(?:{stored}|{member})")

    def visit(self, place: Place) -> set[bool | None]:
        """Whether the class, or those below it where it does not, lack the attribute: all answers."""
        if place not in self.seen:
            self.seen[place] = set()
            self.seen[place] = self._visit(place)
        return self.seen[place]

    def _visit(self, place: Place) -> set[bool | None]:
        if self.text.search(text_at(self.world.provider, place)):
            self.found.having.append(place)
            return {False}
        one = class_at(self.world.provider, place)
        if one is None or self.cls not in mro(self.world, one).order:
            return set()
        answer = lacks(self.world, one, self.name)
        if answer is False:
            self.found.having.append(place)
            return {False}
        answers = set[bool | None]().union(
            *[self.visit(below) for below in directly_below(self.world.provider, one.name)]
        )
        if is_protocol(self.world, one):
            return answers
        if answer and answers <= {True}:
            self.found.lacking.append(one)
        return answers | {answer}


def lacks(world: World, cls: ClassDef, name: str) -> bool | None:
    """Whether objects of a class do not have an attribute; None where something may put it there."""
    line = mro(world, cls)
    if any(isinstance(owner, ClassDef) and gives(owner, name) for owner in line.order):
        return False
    if not line.complete:
        return None
    for owner in line.order:
        if isinstance(owner, External):
            if not foreign_lacks(world, owner, name):
                return None
        elif owner.is_open or _puts(owner, name):
            return None
    return True


def _puts(cls: ClassDef, name: str) -> bool:
    """Whether a class may put an attribute on its objects by a name that it has in a string.

    To read it by name, or to hand the string to what never sees the object, does not.
    """
    if f'"{name}"' not in cls.text and f"'{name}'" not in cls.text:
        return False
    rest = cls.text
    for function in cls.methods():
        if name in function.text:
            rest = rest.replace(function.text, "")
            if _hands_on(function, name):
                return True
    return f'"{name}"' in rest or f"'{name}'" in rest


def _hands_on(function: FunctionDef, name: str) -> bool:
    """Whether a method calls something with the name and its own object, reading by name aside."""
    try:
        calls = [node for node in nodes_of(function.node) if isinstance(node, ast.Call)]
    except SourceFault:
        return True
    own = function.parameters[0].name if function.parameters else ""
    for call in calls:
        arguments = [*call.args, *[keyword.value for keyword in call.keywords]]
        if any(isinstance(one, ast.Constant) and one.value == name for one in arguments):
            if getattr(call.func, "id", "") not in _READERS and own in _names(call):
                return True
    return False


_READERS = frozenset({"getattr", "hasattr"})


def _names(call: ast.Call) -> set[str]:
    """The variables that a call is made on or gets, those inside of its arguments aside."""
    root: ast.expr = call.func
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    found = [root, *call.args, *[keyword.value for keyword in call.keywords]]
    # What super() is made on is the object as well.
    return {"self" if one.id == "super" else one.id for one in found if isinstance(one, ast.Name)}
