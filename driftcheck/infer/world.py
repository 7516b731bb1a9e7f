"""Both trees at one version: every name resolves here, through re-exports, stars and lazy tables."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

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
from driftcheck.rulesdb.contracts import Contracts

if TYPE_CHECKING:
    from driftcheck.infer.evaluator import Sink
    from driftcheck.infer.unset import Unset

MAX_DEPTH = 24
"""Nested inference steps after which a value is unknown; deeper chains cost more than they tell."""
MAX_ATTEMPTS = 4
"""How often an answer that was cut short is computed before it is kept as it is: bounds the whole cost."""
_LIMIT = object()
T = TypeVar("T")


@dataclass
class World:
    """The consumer and the provider at one version, with what was inferred of them so far.

    ``sink`` hears of every use that the consumer's interpretation meets. ``known_good`` is the same at
    the version that is compared with: where a name went is told by what it was there.
    """

    consumer: Index
    provider: Index
    facts: Facts
    sink: Sink | None = None
    heard: frozenset[str] = frozenset()
    contracts: Contracts = field(default_factory=Contracts)
    unset: Unset | None = None
    known_good: World | None = None
    cache: dict[Any, Any] = field(default_factory=dict)
    depth: int = 0
    calls: int = 0
    _active: set[Any] = field(default_factory=set)
    _tainted: set[Any] = field(default_factory=set)
    _attempts: dict[Any, int] = field(default_factory=dict)
    _provisional: dict[Any, tuple[Any, set[Any]]] = field(default_factory=dict)
    _resting_on: dict[Any, set[Any]] = field(default_factory=dict)

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
        """Yields False where ``key`` is being computed already or the chain is too deep.

        What is computed meanwhile by others rests on that missing answer: it is tainted.
        """
        if not self._enter(key):
            yield False
            return
        try:
            yield True
        finally:
            self._leave(key)

    def _enter(self, key: Any) -> bool:
        if key in self._active or self.depth > MAX_DEPTH:
            self.taint(key)
            return False
        self._active.add(key)
        self.depth += 1
        return True

    def _leave(self, key: Any) -> None:
        self.depth -= 1
        self._active.discard(key)
        self._tainted.discard(key)
        if not self._active:
            self._tainted.discard(_LIMIT)
            for poor in self._resting_on.pop(_LIMIT, ()):
                self._provisional.pop(poor, None)
        for poor in self._resting_on.pop(key, ()):
            self._provisional.pop(poor, None)

    def taint(self, key: Any = None) -> None:
        """Note that an answer was cut short: for ``key`` by recursion, or (no active key) by a limit."""
        self._tainted.add(key if key in self._active else _LIMIT)

    def remember(self, key: Any, compute: Callable[[], T], otherwise: T) -> T:
        """The cached answer for ``key``, computed once; ``otherwise`` while it is being computed.

        An answer that rests on one still being computed further out may be poorer than what the same
        question gives later: it is kept only until that other answer is there, and for good after
        ``MAX_ATTEMPTS``.
        """
        if key in self.cache:
            return self.cache[key]
        if key in self._provisional:
            value, resting_on = self._provisional[key]
            self._tainted |= resting_on
            return value
        outer, self._tainted = self._tainted, set()
        if not self._enter(key):
            self._tainted |= outer
            return otherwise
        try:
            value = compute()
        finally:
            self._leave(key)
        mine = {k for k in self._tainted if k in self._active or (k is _LIMIT and self._active)}
        attempts = self._attempts[key] = self._attempts.get(key, 0) + 1
        if mine and attempts < MAX_ATTEMPTS:
            self._provisional[key] = (value, mine)
            for other in mine:
                self._resting_on.setdefault(other, set()).add(key)
        else:
            self.cache[key] = value
        self._tainted = outer | mine
        return value

    def sink_for(self, module: Module) -> Sink | None:
        """Who hears of a module's uses: only files of the consumer that mention the provider are listened to."""
        return self.sink if module.path in self.heard and not self.is_provider(module) else None

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
        return bool(index.importers_of(first_missing))

    def member(self, module: Module, name: str, types: bool = False) -> Value:
        """The value of a module's attribute; Missing where reading it would raise.

        ``types``: as a type checker sees it, with what ``TYPE_CHECKING`` alone imports.
        """
        unknown: Value = UNKNOWN
        return self.remember(
            ("member", module.name, name, types), lambda: self._member(module, name, types), unknown
        )

    def _member(self, module: Module, name: str, types: bool) -> Value:
        if not types and self.index_of(module.name) is self.consumer:
            from driftcheck.infer.run import module_env

            env = module_env(self, module)
            if env is not None and name in env:
                return env[name]
        found = self._bound(module, name, types)
        if found is UNKNOWN and name == "__version__":
            return self._release_of(module)
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
        path = f"{module.name}.{name}"
        index = self.index_of(path) if module.is_package else None
        place = index.locate(path) if index is not None else None
        if place is not None and place[0] != "opaque":
            return ModuleValue(path)
        lazy = self._lazy(module, name)
        if lazy is not None and not isinstance(lazy, Missing):
            return lazy
        # A name that the tree's own code imports may be a module that a build makes. No module is named
        # as a builtin is, which every package is asked for that has a star import.
        if index is not None and not hasattr(builtins, name):
            if place is not None or self._is_generated(index, path):
                return UNKNOWN
        if lazy is not None:
            # A lazy function is asked only for what the module does not have; many keep there what they gave.
            return UNKNOWN if module.may_write(name, later=False) else lazy
        if module.stand_in is not None and not name.startswith("_"):
            from driftcheck.infer.stand_ins import told

            return told(self, module, name, types)
        return UNKNOWN if module.may_write(name) else Missing(f"{module.name}.{name}")

    def _release_of(self, module: Module) -> Value:
        """What the provider's top package calls its version where a build writes it: the release's own."""
        from driftcheck.infer.values import Const

        tree = self.provider.tree
        is_top = "." not in module.name and self.is_provider(module)
        return Const(tree.version) if is_top and tree.version is not None else UNKNOWN

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
            if binding.module == module.name and module.is_package:
                # A package that takes a name from itself takes its own submodule.
                inner = self.imported(f"{module.name}.{binding.attribute}")
                if not isinstance(inner, Missing):
                    return inner
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
        from driftcheck.infer.values import Const, DictOf

        if name == "__name__":
            return Const(module.name)
        if name == "__package__":
            return Const(module.name if module.is_package else module.name.rpartition(".")[0])
        if name == "__dict__":
            entries = tuple((bound, UNKNOWN) for bound in module.bindings)
            return DictOf(entries, not module.stars and not module.is_dynamic)
        return UNKNOWN

    def _lazy(self, module: Module, name: str) -> Value | None:
        """What the module's ``__getattr__`` gives for a name; None without one, Missing where it raises."""
        bindings = self.alive(module, module.bindings.get("__getattr__", []))
        if not bindings:
            return None
        functions = [b for b in bindings if b.kind == "def"]
        value = self.value_of(module, (functions or bindings)[-1])
        if not isinstance(value, FunctionValue):
            return UNKNOWN
        from driftcheck.infer.run import call_getattr

        return call_getattr(self, module, value, name)


_MODULE_ATTRIBUTES = frozenset(
    {
        "__name__",
        "__file__",
        "__doc__",
        "__path__",
        "__package__",
        "__spec__",
        "__loader__",
        "__dict__",
        "__builtins__",
    }
)
