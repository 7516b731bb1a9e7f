"""Both trees at one version: every name resolves here, through re-exports, stars and lazy tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from driftcheck.index.module import Binding, Condition, Module
from driftcheck.index.source import SourceFault
from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import Facts
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    External,
    FunctionValue,
    Missing,
    ModuleValue,
    Scope,
    Value,
    union,
)

if TYPE_CHECKING:
    from driftcheck.infer.evaluator import Sink

MAX_DEPTH = 24
"""Nested inference steps after which a value is unknown; deeper chains cost more than they tell."""


@dataclass
class World:
    """The consumer and the provider at one version, with what was inferred of them so far.

    ``sink`` hears of every use that the consumer's interpretation meets.
    """

    consumer: Index
    provider: Index
    facts: Facts
    sink: Sink | None = None
    cache: dict[Any, Any] = field(default_factory=dict)
    depth: int = 0
    _active: set[Any] = field(default_factory=set)

    @property
    def version(self) -> str | None:
        """The provider's release."""
        return self.provider.tree.version

    def index_of(self, name: str) -> Index | None:
        """The tree that a dotted name belongs to; the consumer's wins where both have the package."""
        if self.consumer.owns(name):
            if self.provider.owns(name) and self.consumer.locate(name) is None:
                return self.provider
            return self.consumer
        return self.provider if self.provider.owns(name) else None

    def is_provider(self, module: Module | str) -> bool:
        name = module if isinstance(module, str) else module.name
        return self.index_of(name) is self.provider

    def module(self, name: str) -> Module | None:
        index = self.index_of(name)
        return index.module(name) if index else None

    @contextmanager
    def guarded(self, key: Any) -> Iterator[bool]:
        """Yields False where ``key`` is being computed already or the chain is too deep."""
        if key in self._active or self.depth > MAX_DEPTH:
            yield False
            return
        self._active.add(key)
        self.depth += 1
        try:
            yield True
        finally:
            self.depth -= 1
            self._active.discard(key)

    def module_scope(self, module: Module) -> Scope:
        """The scope of a module's top level, names resolved when they are asked for."""
        key = ("scope", module.name)
        found = self.cache.get(key)
        if found is None:
            found = self.cache[key] = Scope(module, {})
        return found

    def imported(self, name: str) -> Value:
        """What ``import name`` finds: a module, something external, nothing (Missing) or no answer."""
        index = self.index_of(name)
        if index is None:
            return External(name)
        place = index.locate(name)
        if place is not None:
            return ModuleValue(name) if place[0] != "opaque" else UNKNOWN
        if self._is_generated(index, name):
            return UNKNOWN
        return Missing(name)

    def _is_generated(self, index: Index, name: str) -> bool:
        """Whether a build makes the module: the tree's own code imports what its sources lack."""
        parts = name.split(".")
        while len(parts) > 1 and index.locate(".".join(parts[:-1])) is None:
            parts.pop()
        first_missing = ".".join(parts)
        parent = ".".join(parts[:-1])
        place = index.locate(parent)
        if place is None:
            return False
        if place[0] == "opaque":
            return True
        if place[0] == "module" or index is self.consumer:
            return index is self.consumer
        if first_missing in self.facts.generated_modules:
            return True
        return bool(imports_of(index, first_missing))

    def member(self, module: Module, name: str, types: bool = False) -> Value:
        """The value of a module's attribute; Missing where reading it would raise.

        ``types``: as a type checker sees it, with what ``TYPE_CHECKING`` alone imports.
        """
        key = ("member", module.name, name, types)
        if key in self.cache:
            return self.cache[key]
        with self.guarded(key) as free:
            if not free:
                return UNKNOWN
            value = self._member(module, name, types)
        self.cache[key] = value
        return value

    def _member(self, module: Module, name: str, types: bool) -> Value:
        if not types and self.index_of(module.name) is self.consumer:
            from driftcheck.infer.run import module_env

            env = module_env(self, module)
            if env is not None and name in env:
                return env[name]
        found = self._bound(module, name, types)
        if found is not None:
            return found
        for star, conditions in module.stars:
            if star is None or self.holds(module, conditions, types) is False:
                continue
            value = self._from_star(star, name, types)
            if not isinstance(value, Missing):
                return value
        if name in _MODULE_ATTRIBUTES:
            return self._own_attribute(module, name)
        if module.is_package:
            value = self.imported(f"{module.name}.{name}")
            if not isinstance(value, Missing):
                return value
        lazy = self._lazy(module, name)
        if lazy is not None:
            return lazy
        return UNKNOWN if module.is_dynamic else Missing(f"{module.name}.{name}")

    def _bound(self, module: Module, name: str, types: bool) -> Value | None:
        bindings = self.alive(module, module.bindings.get(name, []), types)
        if not bindings:
            return None
        return union([self.value_of(module, binding, types) for binding in bindings])

    def alive(self, module: Module, bindings: list[Binding], types: bool = False) -> list[Binding]:
        """The bindings that can be in force once the module has run, in order."""
        kept: list[Binding] = []
        for binding in bindings:
            holds = self.holds(module, binding.conditions, types)
            if holds is False:
                continue
            if holds is True:
                kept = []
            if binding.kind == "delete":
                continue
            kept.append(binding)
        return kept

    def holds(self, module: Module, conditions: tuple[Condition, ...], types: bool = False) -> bool | None:
        """Whether the conditions of a statement hold on this version; None where that is not known."""
        answer: bool | None = True
        for condition in conditions:
            if condition.kind == "try":
                continue
            if condition.kind != "if" or condition.test is None:
                answer = None
                continue
            result = self._test(module, condition.test, types)
            if result is None:
                answer = None
            elif result is not condition.truth:
                return False
        return answer

    def _test(self, module: Module, test: ast.expr, types: bool) -> bool | None:
        match test:
            case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
                return types
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self._test(module, operand, types)
                return None if inner is None else not inner
            case ast.BoolOp(op=op, values=values):
                answers = [self._test(module, value, types) for value in values]
                decisive = isinstance(op, ast.Or)
                if decisive in answers:
                    return decisive
                return None if None in answers else not decisive
        from driftcheck.infer.evaluator import Evaluator
        from driftcheck.infer.values import truth

        with self.guarded(("test", id(test))) as free:
            if not free:
                return None
            return truth(Evaluator(self, self.module_scope(module)).eval(test))

    def value_of(self, module: Module, binding: Binding, types: bool = False) -> Value:
        """What one statement binds its name to."""
        if binding.kind == "class":
            return self.class_value(ClassValue(module.class_of(binding)))
        if binding.kind == "def":
            return FunctionValue(module.function_of(binding))
        if binding.kind == "module":
            return UNKNOWN if binding.module is None else self.imported(binding.module)
        if binding.kind == "from":
            return self.from_import(binding.module, binding.attribute or "", types)
        if binding.kind == "value":
            from driftcheck.infer.evaluator import assigned_value

            try:
                statement = module.source.parse(binding.item)
            except (SourceFault, IndexError):
                return UNKNOWN
            return assigned_value(self, self.module_scope(module), statement, binding.name)
        return UNKNOWN

    def class_value(self, value: ClassValue) -> Value:
        """A class after its decorators: itself, unless a decorator makes something else of it."""
        return value

    def from_import(self, module: str | None, name: str, types: bool = False) -> Value:
        """What ``from module import name`` binds."""
        if module is None:
            return UNKNOWN
        place = self.imported(module)
        match place:
            case ModuleValue(name=dotted):
                definition = self.module(dotted)
                if definition is None:
                    return self._namespace_member(dotted, name)
                return self.member(definition, name, types)
            case External(path=path):
                return External(f"{path}.{name}")
        return place

    def _namespace_member(self, module: str, name: str) -> Value:
        index = self.index_of(module)
        place = index.locate(module) if index else None
        if place is None or place[0] != "namespace":
            return UNKNOWN
        return self.imported(f"{module}.{name}")

    def _from_star(self, star: str, name: str, types: bool) -> Value:
        place = self.imported(star)
        if isinstance(place, Missing):
            return place
        module = self.module(star)
        if module is None:
            return UNKNOWN
        listed = self.exports(module)
        if listed is None:
            if name.startswith("_"):
                return Missing(f"{star}.{name}")
        elif name not in listed:
            return UNKNOWN if None in listed else Missing(f"{star}.{name}")
        return self.member(module, name, types)

    def exports(self, module: Module) -> frozenset[str | None] | None:
        """What ``__all__`` lists (None in it: something that could not be read); None without it."""
        declared = module.declared_all
        if declared is None:
            return None
        names: set[str | None] = set()
        for entry in declared:
            if isinstance(entry, str):
                names.add(entry)
            else:
                names |= self._all_of(module, entry)
        return frozenset(names)

    def _all_of(self, module: Module, entry: ast.expr) -> set[str | None]:
        if isinstance(entry, ast.Attribute) and entry.attr == "__all__":
            from driftcheck.infer.evaluator import Evaluator

            value = Evaluator(self, self.module_scope(module)).eval(entry.value)
            other = self.module(value.name) if isinstance(value, ModuleValue) else None
            if other is not None and other is not module:
                listed = self.exports(other)
                return set(listed) if listed is not None else {None}
        return {None}

    def _own_attribute(self, module: Module, name: str) -> Value:
        from driftcheck.infer.values import Const

        if name == "__name__":
            return Const(module.name)
        return UNKNOWN

    def _lazy(self, module: Module, name: str) -> Value | None:
        """What the module's ``__getattr__`` gives for a name; None without one, Missing where it raises."""
        bindings = self.alive(module, module.bindings.get("__getattr__", []))
        functions = [b for b in bindings if b.kind == "def"]
        if not functions:
            return UNKNOWN if bindings else None
        from driftcheck.infer.run import call_getattr

        return call_getattr(self, module.function_of(functions[-1]), name)


_MODULE_ATTRIBUTES = frozenset(
    {"__name__", "__file__", "__doc__", "__path__", "__package__", "__spec__", "__loader__", "__dict__", "__builtins__"}
)


def imports_of(index: Index, name: str) -> tuple[str, ...]:
    """Files of a tree that import the module ``name`` or something below it, by text."""
    import re

    found = index.__dict__.setdefault("_imports_of", {})
    if name not in found:
        parent, _, last = name.rpartition(".")
        direct = re.compile(rf"^\s*(?:import|from)\s+{re.escape(name)}\b".encode(), re.M)
        through = re.compile(rf"^\s*from\s+{re.escape(parent)}\s+import\s+(?:\(\s*)?(?:[\w, \n]*\b)?{re.escape(last)}\b".encode(), re.M)
        hits = []
        for path in index.files_mentioning(last):
            data = index._peek(path)
            if direct.search(data) or through.search(data):
                hits.append(path)
        found[name] = tuple(hits)
    return found[name]
