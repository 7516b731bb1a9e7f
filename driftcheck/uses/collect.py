"""Collecting the consumer's uses: every module that mentions the provider is interpreted once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import Source
from driftcheck.infer.attributes import Lookup
from driftcheck.infer.families import bound_functions
from driftcheck.infer.frame import Frame
from driftcheck.infer.run import Pending, drain, module_env, queue
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.started import started
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    External,
    FunctionValue,
    LambdaValue,
    MethodOf,
    Missing,
    PartialValue,
    Unknown,
    Value,
    options,
    truth,
)
from driftcheck.infer.world import World
from driftcheck.model import Span
from driftcheck.uses.classes import class_arguments
from driftcheck.uses.commands import command_uses
from driftcheck.uses.grafts import Graft, class_grafts, function_grafts, named_additions
from driftcheck.uses.holding import class_use, graft_use, patch_use
from driftcheck.uses.metadata import metadata_uses
from driftcheck.uses.named import named_uses
from driftcheck.uses.naming import item_uses, prefixes, string_uses
from driftcheck.uses.narrowing import narrowed_read, narrowed_receiver
from driftcheck.uses.none_calls import none_call
from driftcheck.uses.patching import patching_files
from driftcheck.uses.relevance import concerns_provider, owner_name
from driftcheck.uses.results import result_use
from driftcheck.uses.skipped import skipped_modules
from driftcheck.uses.use import AttributeUse, BoundUse, CallUse, ImportUse, StoreUse, Use, ValueUse


@dataclass(frozen=True)
class DataUse:
    """A function that stands in ``node`` without being called, in a place for data."""

    node: ast.AST
    span: Span
    how: str
    caught: frozenset[str]


@dataclass
class Uses:
    """What one version's interpretation of the consumer met.

    ``reached`` holds every place that ran at all, whether or not it concerned the provider, and
    ``statements`` every statement;
    ``injected`` what the consumer itself puts on the provider's modules, classes and objects,
    ``put_on_unknown`` the names that it puts on something not known, ``loosely_set`` those of them that
    ``setattr`` puts there, ``open_tests`` the places of tests that came out neither way for certain,
    ``called_data`` the ends of attributes that are called and are no functions or classes, ``as_data`` by file
    and function what is done with functions as with data.
    """

    uses: list[Use] = field(default_factory=list)
    reached: set[tuple[str, int, int]] = field(default_factory=set)
    statements: set[tuple[str, int, int]] = field(default_factory=set)
    injected: set[tuple[str, str]] = field(default_factory=set)
    stored_names: set[str] = field(default_factory=set)
    loosely_set: set[str] = field(default_factory=set)
    put_on_unknown: set[str] = field(default_factory=set)
    missing_modules: set[str] = field(default_factory=set)
    open_tests: set[tuple[str, int, int]] = field(default_factory=set)
    called_data: set[tuple[str, int, int]] = field(default_factory=set)
    as_data: dict[tuple[str, FunctionDef], list[DataUse]] = field(default_factory=dict)

    @cached_property
    def by_key(self) -> dict[tuple[str, str, Span], list[Use]]:
        """The uses by what they have in common with other versions' (read once all are collected)."""
        found: dict[tuple[str, str, Span], list[Use]] = {}
        for use in self.uses:
            found.setdefault(use.key, []).append(use)
        return found


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
        missing_module = isinstance(value, Missing) and (
            value.symbol == module or module.startswith(value.symbol + ".")
        )
        source = frame.scope.module.source
        span = _module_span(source, node, alias) if missing_module or name is None else source.span(alias)
        if missing_module and isinstance(value, Missing):
            self.found.missing_modules.add(value.symbol)
        use = ImportUse(path, span, node, _caught(frame), module, name, value)
        self._keep(use, (use.key, isinstance(value, Missing)))

    def attribute(
        self, frame: Frame, node: ast.AST, receiver: Value, name: str, found: list[tuple[Value, Lookup]]
    ) -> None:
        path = self._reach(frame, node)
        narrowed = narrowed_read(frame, node, name, found, _caught(frame))
        if narrowed is not None:
            self._keep(narrowed, (narrowed.key, narrowed.cls))
        if not any(concerns_provider(self.world, option, name) for option, _ in found):
            return
        use = AttributeUse(
            path,
            name_span(frame.scope.module.source, node, name),
            node,
            _helped(frame),
            receiver,
            name,
            tuple(found),
        )
        self._keep(
            use, (use.key, tuple(answer.status for _, answer in found), tuple(option for option, _ in found))
        )

    def called(
        self, frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, result: Value
    ) -> None:
        path = self._reach(frame, node)
        if isinstance(node.func, ast.Attribute) and not isinstance(callee, (*_CALLABLE, Unknown)):
            self.found.called_data.add((path, node.func.end_lineno or 0, node.func.end_col_offset or 0))
        running = started(self.world, node, arguments)
        if running is not None:
            queue(self.world).append(Pending(*running))
        self.found.injected.update(named_additions(self.world, callee, arguments))
        for place, value in class_arguments(self.world, callee, arguments):
            self.used(frame, place, "class-argument", value)
        for held in string_uses(frame, node, callee, arguments, _caught(frame)):
            self._keep(held, (held.key, held))
        for named in named_uses(frame, node, callee, arguments, _caught(frame)):
            self._keep(named, (named.key, getattr(named, "found", None), getattr(named, "callee", None)))
        nothing = none_call(frame, node, callee, self.found.uses, _caught(frame))
        if nothing is not None:
            self._keep(nothing, (nothing.key, "None"))
        if not any(concerns_provider(self.world, option, None) for option in options(callee)):
            return
        use = CallUse(path, frame.scope.module.source.span(node), node, _helped(frame), callee, arguments)
        shape = (
            len(arguments.positional),
            tuple(arguments.keywords),
            arguments.open_keywords,
            arguments.open_positional,
        )
        self._keep(use, (use.key, callee, shape))

    def stored(self, frame: Frame, node: ast.AST, receiver: Value, name: str, value: Value) -> None:
        path = self._reach(frame, node)
        if any(concerns_provider(self.world, option, name) for option in options(receiver)):
            span = name_span(frame.scope.module.source, node, name)
            use = StoreUse(path, span, node, _helped(frame), receiver, name, value)
            self._keep(use, (use.key, receiver))
        self.found.stored_names.add(name)
        if receiver is UNKNOWN:
            self.found.put_on_unknown.add(name)
            if isinstance(node, ast.Call):
                self.found.loosely_set.add(name)
        for option in options(receiver):
            owner = owner_name(option)
            if owner is not None:
                self.found.injected.add((owner, name))
        patch = patch_use(self.world, frame, node, receiver, name, value, _caught(frame))
        if patch is not None:
            self._keep(patch, (patch.key, patch.receiver, value))
        self._bound(frame, node, receiver, name, value)

    def _bound(self, frame: Frame, node: ast.AST, receiver: Value, name: str, value: Value) -> None:
        """A function that stands for a method: run with its receiver where that is known, kept where not."""
        for function in bound_functions(self.world, receiver, value):
            if function.receiver is not UNKNOWN:
                queue(self.world).append(Pending(function))
                continue
            span = frame.scope.module.source.span(node)
            part = narrowed_receiver(frame, node)
            use = BoundUse(frame.scope.module.path, span, node, _caught(frame), function, name, part)
            self._keep(use, (use.key, function.definition, part))

    def ran(self, frame: Frame, node: ast.stmt) -> None:
        self.found.statements.add((frame.scope.module.path, node.lineno, node.col_offset))

    def defined(self, frame: Frame, node: ast.AST, value: Value) -> None:
        self._reach(frame, node)
        if isinstance(value, ClassValue):
            use = class_use(self.world, frame, value.definition, _caught(frame), node)
            if use is not None:
                self._keep(use, (use.key, use.assumed))
            self._grafted(frame, node, class_grafts(self.world, value.definition))
        elif isinstance(value, FunctionValue):
            self._grafted(frame, node, function_grafts(self.world, frame.scope, value.definition))

    def _grafted(self, frame: Frame, node: ast.AST, grafts: Iterable[Graft]) -> None:
        """What a helper of the consumer's own puts on the provider."""
        for graft in grafts:
            owner = owner_name(graft.target)
            if owner is not None:
                self.found.injected.add((owner, graft.name))
                self.found.stored_names.add(graft.name)
            if graft.function is not None:
                use = graft_use(graft, node, _caught(frame))
                self._keep(use, (use.key, use.receiver, use.value))

    def used(self, frame: Frame, node: ast.AST, how: str, value: Value) -> None:
        path = self._reach(frame, node)
        if how == "truth" and truth(value) is None:
            self.found.open_tests.add((path, node.lineno, node.col_offset))  # type: ignore[attr-defined]
        for variable_use in item_uses(frame, node, how, value, _caught(frame)):
            self._keep(variable_use, (variable_use.key, variable_use))
        result = result_use(frame, node, how, value, _helped(frame))
        if result is not None:
            self._keep(result, (result.key, value))
        if (
            how in _FOR_DATA
            and isinstance(value, FunctionValue)
            and concerns_provider(self.world, value, None)
        ):
            subject = node.value if isinstance(node, ast.Subscript) else node
            data = DataUse(subject, frame.scope.module.source.span(subject), how, _caught(frame))
            self.found.as_data.setdefault((path, value.definition), []).append(data)
        if how not in _KEPT or not any(
            concerns_provider(self.world, option, None) for option in options(value)
        ):
            return
        use = ValueUse(path, frame.scope.module.source.span(node), node, _caught(frame), how, value)
        self._keep(use, (use.key, value))

    def _reach(self, frame: Frame, node: ast.AST) -> str:
        path = frame.scope.module.path
        self.found.reached.add((path, node.lineno, node.col_offset))  # type: ignore[attr-defined]
        return path

    def forget(self, paths: frozenset[str]) -> None:
        """Leave out what stands in modules that are never imported: they were interpreted for nothing."""
        if not paths:
            return
        found = self.found
        found.uses = [use for use in found.uses if use.path not in paths]
        found.reached = {place for place in found.reached if place[0] not in paths}
        found.statements = {place for place in found.statements if place[0] not in paths}

    def _keep(self, use: Use, identity: object) -> None:
        if identity not in self._seen:
            self._seen.add(identity)
            self.found.uses.append(use)


_KEPT = frozenset({"base", "class-check", "later-class-check", "class-argument", "subscript"})
"""What is done with a value that some check asks about."""
_FOR_DATA = frozenset({"iterate", "len", "slice", "subscript", "arithmetic", "ordered", "equal", "truth"})
"""What is done with data, and not with functions."""
_CALLABLE = (FunctionValue, ClassValue, PartialValue, LambdaValue, MethodOf, External, Missing)


UNLESS = "unless "
"""How ``caught`` names a library without which a handler raises all the same."""
REPORTED = "reported "
"""How ``caught`` names an exception that a handler catches only to report it."""


def _caught(frame: Frame) -> frozenset[str]:
    return frozenset[str]().union(
        *[frozenset({f"{UNLESS}{h.unless}"}) if h.unless else h.catches for h in frame.handlers]
    )


def _helped(frame: Frame) -> frozenset[str]:
    """``_caught`` for what is done with things that are there, where a report is no help.

    Whoever imports something, names it in a string or patches it asks whether it is there at all.
    """
    reported = frozenset[str]().union(*[h.catches for h in frame.handlers if h.reports])
    if not reported:
        return _caught(frame)
    helped = frozenset[str]().union(*[h.catches for h in frame.handlers if not h.reports and not h.unless])
    return helped | {f"{REPORTED}{name}" for name in reported - helped}


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


def name_span(source: Source, node: ast.AST, name: str) -> Span:
    """The attribute's own name in ``receiver.name``; a whole ``getattr`` call."""
    whole = source.span(node)
    if isinstance(node, ast.Attribute):
        return Span(whole.end_line, whole.end_column - len(name), whole.end_line, whole.end_column)
    return whole


def collect(world: World, told: Callable[[float], None] = lambda share: None) -> Uses:
    """Interpret every module of the consumer that mentions the provider and what they reach.

    ``told`` hears, before each file, what share of the files is done.
    """
    collector = Collector(world)
    world.sink = collector
    index = world.consumer
    names = (*world.provider.packages, *prefixes(world))
    mentioning = sorted({path for name in names for path in index.files_with(name)})
    only = frozenset(index.tree.python_files)
    paths = [path for path in mentioning if path in only]
    beside = patching_files(world, [path for path in mentioning if path not in only])
    world.heard = frozenset(paths + beside)
    files = [*beside, *paths]
    for number, path in enumerate(files):
        told(number / len(files))
        module = index.module(index.module_name(path))
        if module is not None:
            module_env(world, module)
            drain(world, collector.found.reached)
    drain(world, collector.found.reached)
    collector.forget(skipped_modules(world, collector.found.reached) | set(beside))
    for use in (*metadata_uses(world), *command_uses(world, collector.found.statements)):
        collector._keep(use, (use.key, use))
    return collector.found
