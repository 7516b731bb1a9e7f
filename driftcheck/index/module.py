"""One module: what its top level binds, under which conditions, and what a star import takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.import_lines import plain_import
from driftcheck.index.listings import listed
from driftcheck.index.nodes import nodes_of
from driftcheck.index.outline import Item
from driftcheck.index.source import Source, SourceFault
from driftcheck.index.written import is_dynamic, may_write, stand_in

BindingKind = Literal["class", "def", "module", "from", "value", "other", "delete"]
Absolute = Callable[[str | None, int], str | None]
"""Makes a (relative) import's module absolute; None where it climbs past the top."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Why a statement may not run: a test with the truth it needs, or a clause of a ``try``."""

    kind: Literal["if", "try", "except", "loop", "match"]
    test: ast.expr | None = None
    truth: bool = True


@dataclass(frozen=True, slots=True)
class Binding:
    """One statement that binds a name in a namespace.

    ``module`` is an absolute dotted name for imports; ``attribute`` the name taken from it
    (kind ``from``). ``item`` is the statement in the outline.
    """

    name: str
    kind: BindingKind
    item: Item
    conditions: tuple[Condition, ...] = ()
    module: str | None = None
    attribute: str | None = None


_GLOBAL = re.compile(r"^[ \t]+global[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)", re.MULTILINE)


class Module:
    """A parsed-on-demand module of a tree. ``name`` is its dotted name."""

    def __init__(self, name: str, source: Source, is_package: bool) -> None:
        self.name = name
        self.source = source
        self.is_package = is_package
        self._classes: dict[int, ClassDef] = {}
        self._functions: dict[int, FunctionDef] = {}

    def __repr__(self) -> str:
        return f"<Module {self.name}>"

    @property
    def path(self) -> str:
        return self.source.path

    def absolute(self, module: str | None, level: int) -> str | None:
        """The absolute name of a (relative) import; None where it climbs past the top."""
        if not level:
            return module
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.is_package else 0)
        if keep <= 0:
            return None
        base = ".".join(parts[:keep])
        return f"{base}.{module}" if module else base

    @cached_property
    def bindings(self) -> dict[str, list[Binding]]:
        """Every name that some top-level statement binds, in order of the statements."""
        found: dict[str, list[Binding]] = {}
        for binding in self._scan(self.source.items, ()):
            found.setdefault(binding.name, []).append(binding)
        for name, item in self._global_names():
            found.setdefault(name, []).append(Binding(name, "other", item, (Condition("loop"),)))
        return found

    def _global_names(self) -> Iterator[tuple[str, Item]]:
        """Names that some function declares ``global``: it may bind them when it runs."""
        if "global " in self.source.text:
            for match in _GLOBAL.finditer(self.source.blank):
                for name in match.group(1).split(","):
                    yield name.strip(), self.source.items[0]

    @cached_property
    def stars(self) -> list[tuple[str | None, tuple[Condition, ...]]]:
        """The modules whose names are taken by ``import *``."""
        return [(b.module, b.conditions) for b in self.bindings.get("*", ())]

    def _scan(self, items: list[Item], conditions: tuple[Condition, ...]) -> Iterator[Binding]:
        yield from scan_suite(self.source, items, conditions, self.absolute)

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether the module writes its own namespace in ways that an outline cannot follow."""
        return is_dynamic(self.source)

    @cached_property
    def stand_in(self) -> str | None:
        """What makes the object that the module puts in its own place; None unless it tells type checkers
        what that has."""
        told = (
            _is_for_checkers(condition)
            for group in self.bindings.values()
            for binding in group
            for condition in binding.conditions
        )
        maker = stand_in(self.source)
        return maker if maker is not None and any(told) else None

    def may_write(self, name: str, later: bool = True) -> bool:
        """Whether running the module may write the name there; ``later``: or a function of it, once called."""
        if not self.is_dynamic:
            return False
        functions = [b.item for b in self.functions_and_classes if b.kind == "def"]
        return may_write(self.source, functions, name, later)

    def class_of(self, binding: Binding | Item, owner: ClassDef | FunctionDef | None = None) -> ClassDef:
        item = binding.item if isinstance(binding, Binding) else binding
        found = self._classes.get(item.start)
        if found is None:
            found = self._classes[item.start] = ClassDef(self, item, owner)
        return found

    def function_of(self, binding: Binding | Item, owner: ClassDef | None = None) -> FunctionDef:
        item = binding.item if isinstance(binding, Binding) else binding
        found = self._functions.get(item.start)
        if found is None:
            found = self._functions[item.start] = FunctionDef(self, item, owner)
        return found

    @cached_property
    def functions_and_classes(self) -> list[Binding]:
        return [b for group in self.bindings.values() for b in group if b.kind in ("def", "class")]

    @cached_property
    def declared_all(self) -> list[ast.expr | str] | None:
        """What ``__all__`` lists: strings, and expressions (``other.__all__``) to be resolved; None without it."""
        if "__all__" not in self.source.text:
            return None
        found, names = listed(self.source, self.source.items)
        return names if found or "__all__" in self.bindings else None


def _is_for_checkers(condition: Condition) -> bool:
    test = condition.test
    name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
    return name == "TYPE_CHECKING" and condition.truth


def scan_suite(
    source: Source, items: list[Item], conditions: tuple[Condition, ...], absolute: Absolute
) -> Iterator[Binding]:
    """The bindings of a suite of statements, those of its nested blocks under their conditions."""
    chain: list[ast.expr] = []
    for item in items:
        kind = item.kind
        if kind == "class" or kind == "def":
            if item.name:
                yield Binding(item.name, "class" if kind == "class" else "def", item, conditions)
        elif kind == "assign":
            assert item.name is not None
            yield Binding(item.name, "value", item, conditions)
        elif kind in ("import", "from"):
            yield from _imports(source, item, conditions, absolute)
        elif item.is_block:
            extra = _block_conditions(source, item, chain)
            yield from _block_targets(source, item, conditions)
            body = item.body()
            if body is not None:
                yield from scan_suite(source, body, (*conditions, *extra), absolute)
            else:
                yield from _inline(source, item, (*conditions, *extra), absolute)
        else:
            yield from _others(source, item, conditions, absolute)


def _block_conditions(source: Source, item: Item, chain: list[ast.expr]) -> tuple[Condition, ...]:
    kind = item.kind
    if kind in ("if", "elif"):
        if kind == "if":
            chain.clear()
        test = _header_test(source, item)
        earlier = tuple(Condition("if", expression, False) for expression in chain)
        if test is None:
            return (*earlier, Condition("match"))
        chain.append(test)
        return (*earlier, Condition("if", test, True))
    if kind == "else":
        return tuple(Condition("if", expression, False) for expression in chain) or (Condition("try"),)
    if kind in ("for", "while", "match", "case"):
        chain.clear()
        return (Condition("loop" if kind in ("for", "while") else "match"),)
    if kind == "try":
        chain.clear()
        return (Condition("try"),)
    if kind == "except":
        return (Condition("except"),)
    return ()


def _header_test(source: Source, item: Item) -> ast.expr | None:
    text = source.text[item.start : item.header_end() - 1]
    test = text.removeprefix("el")[2:]  # a bracket or a sign may follow the keyword at once
    try:
        return ast.parse("(" + test.strip() + "\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _block_targets(source: Source, item: Item, conditions: tuple[Condition, ...]) -> Iterator[Binding]:
    if item.kind not in ("for", "with", "except", "while", "if"):
        return
    header = source.text[item.start : item.header_end()]
    if item.kind in ("while", "if") and ":=" not in header:
        return
    try:
        tree = ast.parse(("try: pass\n" if item.kind == "except" else "") + header + " pass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name in sorted(
        {n.id for n in nodes_of(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    ):
        yield Binding(name, "other", item, conditions)


def _imports(
    source: Source, item: Item, conditions: tuple[Condition, ...], absolute: Absolute
) -> Iterator[Binding]:
    try:
        statement = plain_import(item.blank[item.start : item.end]) or source.parse(item)
    except (SourceFault, IndexError):
        return
    yield from import_bindings(statement, item, conditions, absolute)


def import_bindings(
    statement: ast.stmt, item: Item, conditions: tuple[Condition, ...], absolute: Absolute
) -> Iterator[Binding]:
    """The bindings that an import statement makes."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.asname:
                yield Binding(alias.asname, "module", item, conditions, alias.name)
            else:
                top = alias.name.split(".")[0]
                yield Binding(top, "module", item, conditions, top)
    elif isinstance(statement, ast.ImportFrom):
        module = absolute(statement.module, statement.level)
        for alias in statement.names:
            yield Binding(alias.asname or alias.name, "from", item, conditions, module, alias.name)


def _inline(
    source: Source, item: Item, conditions: tuple[Condition, ...], absolute: Absolute
) -> Iterator[Binding]:
    header = item.header_end()
    suite = source.text[header : item.end].strip()
    if suite:
        piece = Item("other", None, header, item.end, "", item.blank)
        yield from _simple(source, piece, suite, conditions, absolute)


def _others(
    source: Source, item: Item, conditions: tuple[Condition, ...], absolute: Absolute
) -> Iterator[Binding]:
    text = item.blank[item.start : item.end]
    if "=" in text or ";" in text or text.startswith("del"):
        yield from _simple(source, item, source.text[item.start : item.end], conditions, absolute)


def _simple(
    source: Source, item: Item, text: str, conditions: tuple[Condition, ...], absolute: Absolute
) -> Iterator[Binding]:
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from import_bindings(statement, item, conditions, absolute)
        elif isinstance(statement, ast.Delete):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield Binding(target.id, "delete", item, conditions)
        else:
            for name in _stored(statement):
                yield Binding(name, "other", item, conditions)


def _stored(statement: ast.AST) -> Iterable[str]:
    return sorted(
        {n.id for n in nodes_of(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    )
