"""Signatures as calls meet them, and binding a call to one."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

from driftcheck.index.functions import Parameter
from driftcheck.infer.values import UNKNOWN, Const, Value


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters in order (without the receiver). ``accepts``: further keywords that ``**kwargs`` takes;
    ``open_keywords``: any keyword is taken; ``silent_extra``: an unknown keyword is ignored, not refused."""

    parameters: tuple[Parameter, ...]
    accepts: frozenset[str] = frozenset()
    open_keywords: bool = False
    open_positional: bool = False
    path: str = ""
    line: int = 0
    symbol: str = ""
    silent_extra: bool = False

    def parameter(self, name: str) -> Parameter | None:
        for parameter in self.parameters:
            if parameter.name == name and parameter.kind in ("ordinary", "keyword"):
                return parameter
        return None

    def keywords(self) -> frozenset[str]:
        """Every keyword that is known to be accepted."""
        return self.accepts | {p.name for p in self.parameters if p.kind in ("ordinary", "keyword")}

    def positional(self) -> list[Parameter]:
        return [p for p in self.parameters if p.kind in ("positional", "ordinary")]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as written or reached through ``*``/``**``: its expression and inferred value."""

    value: Value
    node: ast.AST
    name: str | None = None


@dataclass(slots=True)
class Arguments:
    """The arguments of one call. ``open_*``: a ``*`` or ``**`` whose content is not known."""

    positional: list[Argument] = field(default_factory=list)
    keywords: dict[str, Argument] = field(default_factory=dict)
    open_positional: bool = False
    open_keywords: bool = False


ProblemKind = Literal["unknown-keyword", "missing-argument", "too-many-positional", "multiple-values"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a call does not bind: ``names`` are the keywords or parameters concerned."""

    kind: ProblemKind
    names: tuple[str, ...]
    node: ast.AST | None = None
    count: int = 0


def bind(signature: Signature, arguments: Arguments) -> list[Problem]:
    """What would make the call raise TypeError; empty where it binds or that cannot be told."""
    problems: list[Problem] = []
    slots = signature.positional()
    takes_rest = signature.open_positional or any(p.kind == "var_positional" for p in signature.parameters)
    given = len(arguments.positional)
    if given > len(slots) and not takes_rest:
        problems.append(Problem("too-many-positional", (), arguments.positional[len(slots)].node, len(slots)))
    filled = {p.name for p in slots[:given]}
    by_name = {p.name: p for p in signature.parameters if p.kind in ("ordinary", "keyword")}
    open_keywords = signature.open_keywords
    for name, argument in arguments.keywords.items():
        if name in by_name:
            if name in filled and not takes_rest:
                problems.append(Problem("multiple-values", (name,), argument.node))
        elif name not in signature.accepts and not open_keywords:
            problems.append(Problem("unknown-keyword", (name,), argument.node))
    if not arguments.open_keywords and not arguments.open_positional:
        missing = tuple(
            p.name
            for p in signature.parameters
            if p.required
            and not (p.name in filled and p.kind != "keyword")
            and not (p.kind != "positional" and p.name in arguments.keywords)
        )
        if missing:
            problems.append(Problem("missing-argument", missing))
    elif not arguments.open_keywords:
        missing = tuple(
            p.name
            for p in signature.parameters
            if p.required and p.kind == "keyword" and p.name not in arguments.keywords
        )
        if missing:
            problems.append(Problem("missing-argument", missing))
    return problems


def first(arguments: Arguments) -> Value:
    """The first positional argument's value, unknown where there is none."""
    return arguments.positional[0].value if arguments.positional else UNKNOWN


def nth(arguments: Arguments, number: int, keyword: str = "") -> Value | None:
    """An argument's value by position or keyword."""
    if len(arguments.positional) > number:
        return arguments.positional[number].value
    found = arguments.keywords.get(keyword)
    return found.value if found else None


def text_of(value: Value | None) -> str | None:
    """The text of a constant string."""
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None
