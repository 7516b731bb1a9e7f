"""The order in which findings strike, where the consumer's own code tells it.

A function of the consumer is followed as it would run: statements in order, arguments before their call,
the consumer's own functions where they are called. Where a finding strikes is its anchor, or the last
related place. A loop that must come round first may not do so within one call: what strikes in its second
round is put after all that strikes in the first pass. What the provider calls back is not followed.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.nodes import children_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, FunctionValue
from driftcheck.infer.world import World
from driftcheck.model import Chain, Finding, Span, Step

MAX_STEPS = 60_000
"""Nodes followed from one function, beyond which its order is not told."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def chains(world: World, findings: Sequence[Finding]) -> tuple[Chain, ...]:
    """For each way into the consumer on which two or more findings strike, those in order."""
    struck = [one for one in findings if one.status != "fixed" and _has_place(one)]
    paths = sorted({one.path for one in struck})
    if len(struck) < 2:
        return ()
    scripts = _Scripts(world, _lines_of(struck))
    runs = [_Run(scripts, root) for path in paths for root in _roots(world, path)]
    inside = {function for run in runs for function in run.entered}
    found: list[tuple[str, list[Finding]]] = []
    for run in runs:
        if run.root not in inside and not run.too_long:
            ordered = sorted((at, n) for n, one in enumerate(struck) if (at := run.at(one)) is not None)
            if len(ordered) > 1:
                found.append((run.root.qualname, [struck[n] for _, n in ordered]))
    return tuple(
        Chain(name, tuple(Step(one.path, one.line, one.column, one.code) for one in order))
        for name, order in found
        if not any(_within(order, other) for _, other in found)
    )


def _within(order: list[Finding], other: list[Finding]) -> bool:
    return len(order) < len(other) and all(any(one is step for step in other) for one in order)


def _has_place(finding: Finding) -> bool:
    """Whether it is known where a finding strikes: a value that only differs strikes where that is said."""
    return finding.severity != "note" and (finding.code != "DC406" or bool(finding.related))


def _roots(world: World, path: str) -> Iterator[FunctionDef]:
    """The functions of a file and the methods of its classes."""
    module = world.consumer.module(world.consumer.module_name(path))
    if module is None:
        return
    for binding in module.functions_and_classes:
        if binding.kind == "def":
            yield module.function_of(binding)
        else:
            yield from module.class_of(binding).methods()


def _lines_of(struck: Iterable[Finding]) -> dict[str, list[int]]:
    """The lines that something is asked of, by file, in order."""
    found: dict[str, set[int]] = {}
    for one in struck:
        found.setdefault(one.path, set()).add(one.line)
        for place in one.related[-1:]:
            found.setdefault(place.path, set()).add(place.line)
    return {path: sorted(lines) for path, lines in found.items()}


@dataclass
class _Scripts:
    """What a call of each function does in turn, told once however many runs come to it.

    ``lines``: those that findings are on. All that is on no such line only counts.
    """

    world: World
    lines: dict[str, list[int]]
    known: dict[FunctionDef, list[_Turn]] = field(default_factory=dict)
    methods: dict[tuple[ClassDef | None, str], FunctionDef | None] = field(default_factory=dict)

    def of(self, function: FunctionDef) -> list[_Turn]:
        found = self.known.get(function)
        if found is None:
            found = self.known[function] = []
            try:
                statements = function.node.body
            except (SourceFault, AssertionError):
                statements = []
            writer = _Writer(function.module, self.lines.get(function.module.path, []), found)
            for statement in statements:
                writer.write(statement)
        return found

    def method(self, cls: ClassDef | None, name: str) -> FunctionDef | None:
        """The consumer's method of that name that an object of the class has."""
        if (cls, name) not in self.methods:
            self.methods[cls, name] = _method(self.world, cls, name)
        return self.methods[cls, name]


_Turn = int | tuple[Span, ...] | ast.expr | ast.stmt
"""Turns of which nothing is asked, nodes that get theirs, what is called then, or a loop that comes round."""


@dataclass
class _Writer:
    """Writes down one function's nodes, what is inside before what is around."""

    module: Module
    lines: list[int]
    turns: list[_Turn]

    def write(self, node: ast.AST) -> None:
        if isinstance(node, _DEFINITIONS):
            return
        for child in children_of(node):
            self.write(child)
        if isinstance(node, ast.Call):
            self._note(node.keywords)  # a keyword has its call's turn, since it fails only there
            if isinstance(node.func, (ast.Name, ast.Attribute)):
                self.turns.append(node.func)
        if not isinstance(node, ast.keyword):
            self._note([node])
        if isinstance(node, _LOOPS):
            self.turns.append(node)

    def _note(self, nodes: Iterable[ast.AST]) -> None:
        asked = [n for n in nodes if isinstance(n, (ast.expr, ast.stmt, ast.keyword)) and self._is_asked(n)]
        if asked:
            self.turns.append(tuple(self.module.source.span(node) for node in asked))
        elif self.turns and isinstance(self.turns[-1], int):
            self.turns[-1] += 1
        else:
            self.turns.append(1)

    def _is_asked(self, node: ast.expr | ast.stmt | ast.keyword) -> bool:
        at = bisect_left(self.lines, node.lineno)
        return at < len(self.lines) and self.lines[at] <= (node.end_lineno or node.lineno)


@dataclass
class _Run:
    """What happens when ``root`` is called, after the constructor of its class: every node with its turn."""

    scripts: _Scripts
    root: FunctionDef
    turns: dict[str, list[tuple[Span, int]]] = field(default_factory=dict)
    lines: dict[tuple[str, int], int] = field(default_factory=dict)
    loops: dict[tuple[str, int], int] = field(default_factory=dict)
    entered: set[FunctionDef] = field(default_factory=set)
    count: int = 0

    def __post_init__(self) -> None:
        owner = self.root.owner
        made = self.scripts.method(owner, "__init__") if isinstance(owner, ClassDef) else None
        if made is not None and made is not self.root:
            self._enter(made, owner)
        self._body(self.root, owner)

    @property
    def too_long(self) -> bool:
        return self.count > MAX_STEPS

    def at(self, finding: Finding) -> int | None:
        """The turn at which a finding strikes; None where this run does not come to it."""
        if finding.related:
            last = finding.related[-1]
            key = (last.path, last.line)
            again = self.loops.get(key)
            return self.lines.get(key) if again is None else self.count + again
        start, end = (finding.line, finding.column), (finding.end_line, finding.end_column)
        around = [
            (_size(span), turn)
            for span, turn in self.turns.get(finding.path, ())
            if (span.line, span.column) <= start and end <= (span.end_line, span.end_column)
        ]
        return min(around)[1] if around else None

    def _enter(self, function: FunctionDef, owner: ClassDef | None) -> None:
        if function not in self.entered and function is not self.root and not self.too_long:
            self.entered.add(function)
            self._body(function, owner)

    def _body(self, function: FunctionDef, owner: ClassDef | None) -> None:
        place = _Place(function, owner)
        path = function.module.path
        for turn in self.scripts.of(function):
            if self.too_long:
                return
            if isinstance(turn, int):
                self.count += turn
            elif isinstance(turn, tuple):
                self.count += 1
                for span in turn:
                    self.turns.setdefault(path, []).append((span, self.count))
                    self.lines.setdefault((path, span.line), self.count)
            elif isinstance(turn, ast.expr):
                callee, cls = _callee(self.scripts, turn, place)
                if callee is not None:
                    self._enter(callee, cls)
            else:
                self.loops[path, turn.lineno] = self.count


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


@dataclass(frozen=True)
class _Place:
    """The function that runs, and the class that its object is of."""

    function: FunctionDef
    owner: ClassDef | None

    @cached_property
    def receiver(self) -> str | None:
        first = self.function.parameters[:1]
        return first[0].name if self.owner is not None and first else None


def _callee(scripts: _Scripts, func: ast.expr, place: _Place) -> tuple[FunctionDef | None, ClassDef | None]:
    """The consumer's function that a call runs, and the class of the object it runs on."""
    match func:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == place.receiver:
            return scripts.method(place.owner, attr), place.owner
        case ast.Name(id=name):
            return _named(scripts, place.function.module, name)
    return None, None


def _named(scripts: _Scripts, module: Module, name: str) -> tuple[FunctionDef | None, ClassDef | None]:
    world = scripts.world
    match world.member(module, name) if name in module.bindings else None:
        case FunctionValue(definition=function) if not world.is_provider(function.module):
            return function, None
        case ClassValue(definition=cls) if not world.is_provider(cls.module):
            return scripts.method(cls, "__init__"), cls
    return None, None


def _method(world: World, cls: ClassDef | None, name: str) -> FunctionDef | None:
    if cls is None:
        return None
    for one in mro(world, cls).order:
        if isinstance(one, ClassDef) and not world.is_provider(one.module):
            found = one.method(name)
            if found is not None:
                return found
    return None
