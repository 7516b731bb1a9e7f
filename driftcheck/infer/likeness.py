"""How alike two definitions are: the same kind, body shape, parameters, place and name."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property

from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Binding, Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import ClassValue, FunctionValue
from driftcheck.infer.world import World

_TOKEN = re.compile(r"[^\W\d]\w*|\d+|[^\s\w]")
_BLANKED = re.compile(r"_{2,}")
ENOUGH = 16
"""A body of fewer tokens than this looks like too many others to say anything."""


@dataclass(frozen=True)
class Definition:
    """A ``def``, ``class`` or assignment, in a module's top level or in a class body."""

    module: Module = field(compare=False)
    binding: Binding = field(compare=False)
    place: tuple[str, int] = ("", 0)

    @classmethod
    def of(cls, module: Module, binding: Binding) -> Definition:
        return cls(module, binding, (module.name, binding.item.start))

    @property
    def name(self) -> str:
        return self.binding.name

    @property
    def kind(self) -> str:
        return self.binding.kind

    @property
    def line(self) -> int:
        """The line of the statement, decorators passed over."""
        item = self.binding.item
        at = item.start
        if item.kind in ("def", "class"):
            at = max(self.module.source.blank.rfind(f"{item.kind} {self.name}", at, item.header_end()), at)
        return self.module.source.line_at(at)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words and signs of the code without strings and comments; its own name does not count."""
        item = self.binding.item
        text = self.module.source.blank[item.start : item.end]
        return tuple(
            "" if word == self.name else word for word in _TOKEN.findall(text) if not _BLANKED.fullmatch(word)
        )

    @cached_property
    def text(self) -> str:
        """What an assignment assigns, as written."""
        item = self.binding.item
        return " ".join(self.module.source.text[item.start : item.end].partition("=")[2].split())

    @cached_property
    def parameters(self) -> tuple[str, ...] | None:
        """A function's parameter names; None for anything else."""
        if self.kind != "def":
            return None
        try:
            # A definition of its own: the module keeps one for each place, with the class that owns it.
            return tuple(p.name for p in FunctionDef(self.module, self.binding.item).parameters)
        except SourceFault:
            return None


def definition_of(world: World, module: str, name: str) -> Definition | None:
    """The statement that a module's name leads to, through its imports; None where that is not plain."""
    for _ in range(8):
        found = world.module(module)
        if found is None:
            return None
        alive = world.alive(found, found.bindings.get(name, []))
        if not alive:
            value = world.member(found, name)
            if not isinstance(value, (ClassValue, FunctionValue)):
                return None
            home = value.definition.module
            same = [
                b
                for b in home.bindings.get(value.definition.name, [])
                if b.item.start == value.definition.item.start
            ]
            return Definition.of(home, same[-1]) if same else None
        binding = alive[-1]
        if binding.kind in ("def", "class", "value"):
            return Definition.of(found, binding)
        if binding.kind != "from" or binding.module is None or binding.attribute is None:
            return None
        module, name = binding.module, binding.attribute
    return None


def body_likeness(one: Definition, other: Definition) -> float | None:
    """From 0 to 1, by the runs of three tokens that both have; None where a body is too short to tell."""
    if min(len(one.tokens), len(other.tokens)) < ENOUGH:
        return None
    first, second = _runs(one.tokens), _runs(other.tokens)
    return 2 * (first & second).total() / max(first.total() + second.total(), 1)


def _runs(tokens: tuple[str, ...]) -> Counter[tuple[str, ...]]:
    return Counter(zip(tokens, tokens[1:], tokens[2:], strict=False))


def name_likeness(one: str, other: str) -> float:
    """From 0 to 1: letters in order, or the words that both names are made of."""
    letters = SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio()
    first, second = words(one), words(other)
    shared = 2 * len(first & second) / max(len(first) + len(second), 1)
    return max(letters, shared)


def words(name: str) -> set[str]:
    """The words of a snake_case or CamelCase name, in the singular."""
    found = (w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name))
    return {w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in found}
