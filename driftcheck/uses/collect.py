"""Collecting the consumer's uses: every module that mentions the provider is interpreted once."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from driftcheck.index.source import Source
from driftcheck.infer.attributes import Lookup
from driftcheck.infer.frame import Frame
from driftcheck.infer.run import drain, module_env
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import Missing, Value, options
from driftcheck.infer.world import World
from driftcheck.model import Span
from driftcheck.uses.relevance import concerns_provider
from driftcheck.uses.use import AttributeUse, CallUse, ImportUse, Use


@dataclass
class Uses:
    """What one version's interpretation of the consumer met.

    ``reached`` holds every place that ran at all, whether or not it concerned the provider;
    ``injected`` what the consumer itself puts on the provider's modules, classes and objects.
    """

    uses: list[Use] = field(default_factory=list)
    reached: set[tuple[str, int, int]] = field(default_factory=set)
    injected: set[tuple[str, str]] = field(default_factory=set)
    stored_names: set[str] = field(default_factory=set)


class Collector:
    """The sink that keeps the uses of the provider."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.found = Uses()
        self._seen: set[object] = set()

    def imported(self, frame: Frame, node: ast.stmt, alias: ast.alias, module: str, value: Value) -> None:
        path = self._reach(frame, alias)
        if self.world.index_of(module) is not self.world.provider:
            return
        name = alias.name if isinstance(node, ast.ImportFrom) and alias.name != "*" else None
        missing_module = isinstance(value, Missing) and (value.symbol == module or module.startswith(value.symbol + "."))
        source = frame.scope.module.source
        span = _module_span(source, node, alias) if missing_module or name is None else source.span(alias)
        use = ImportUse(path, span, node, _caught(frame), module, name, value)
        self._keep(use, (use.key, isinstance(value, Missing)))

    def attribute(self, frame: Frame, node: ast.AST, receiver: Value, name: str, found: list[tuple[Value, Lookup]]) -> None:
        path = self._reach(frame, node)
        if not any(concerns_provider(self.world, option, name) for option, _ in found):
            return
        use = AttributeUse(path, _name_span(frame.scope.module.source, node, name), node, _caught(frame), receiver, name, tuple(found))
        self._keep(use, (use.key, tuple(answer.status for _, answer in found), tuple(option for option, _ in found)))

    def called(self, frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, result: Value) -> None:
        path = self._reach(frame, node)
        if not any(concerns_provider(self.world, option, None) for option in options(callee)):
            return
        use = CallUse(path, frame.scope.module.source.span(node), node, _caught(frame), callee, arguments)
        shape = (len(arguments.positional), tuple(arguments.keywords), arguments.open_keywords, arguments.open_positional)
        self._keep(use, (use.key, callee, shape))

    def stored(self, frame: Frame, node: ast.AST, receiver: Value, name: str, value: Value) -> None:
        self._reach(frame, node)
        from driftcheck.uses.relevance import owner_name

        self.found.stored_names.add(name)
        for option in options(receiver):
            owner = owner_name(option)
            if owner is not None:
                self.found.injected.add((owner, name))

    def defined(self, frame: Frame, node: ast.AST, value: Value) -> None:
        self._reach(frame, node)

    def used(self, frame: Frame, node: ast.AST, how: str, value: Value) -> None:
        return

    def _reach(self, frame: Frame, node: ast.AST) -> str:
        path = frame.scope.module.path
        self.found.reached.add((path, node.lineno, node.col_offset))  # type: ignore[attr-defined]
        return path

    def _keep(self, use: Use, identity: object) -> None:
        if identity not in self._seen:
            self._seen.add(identity)
            self.found.uses.append(use)


def _caught(frame: Frame) -> frozenset[str]:
    return frozenset[str]().union(*[handler.catches for handler in frame.handlers])


def _module_span(source: Source, node: ast.stmt, alias: ast.alias) -> Span:
    """Where an import names its module: the name after ``from``, or the alias itself."""
    if isinstance(node, ast.Import):
        return _first_name(source, alias, len(alias.name))
    assert isinstance(node, ast.ImportFrom)
    start = source.offset(node.lineno, node.col_offset) + len("from")
    text = source.text
    while text[start] in " \t\\\n":
        start += 1
    end = start
    while text[end] not in " \t\\\n":
        end += 1
    line = source.line_at(start)
    column = start - source.offset(line, 0) + 1
    return Span(line, column, line, column + end - start)


def _first_name(source: Source, alias: ast.alias, length: int) -> Span:
    whole = source.span(alias)
    return Span(whole.line, whole.column, whole.line, whole.column + length)


def _name_span(source: Source, node: ast.AST, name: str) -> Span:
    """The attribute's own name in ``receiver.name``; a whole ``getattr`` call."""
    whole = source.span(node)
    if isinstance(node, ast.Attribute):
        return Span(whole.end_line, whole.end_column - len(name), whole.end_line, whole.end_column)
    return whole


def collect(world: World) -> Uses:
    """Interpret every module of the consumer that mentions the provider and what they reach."""
    collector = Collector(world)
    world.sink = collector
    index = world.consumer
    paths = sorted({path for name in world.provider.packages for path in index.files_mentioning(name)})
    only = index.tree.python_files
    for path in paths:
        if path not in only:
            continue
        module = index.module(index.module_name(path))
        if module is not None:
            module_env(world, module)
            drain(world)
    drain(world)
    return collector.found
