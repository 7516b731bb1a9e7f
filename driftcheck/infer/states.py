"""What a method does with one attribute of its object: refuses while it is set, sets it, clears it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef, own_nodes
from driftcheck.index.source import SourceFault
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.world import World

Wanted = Literal["empty", "set"]
MAX_HELPERS = 2
"""How many calls on ``self`` deep a method's effects are followed."""


MAX_CHECK = 1500
"""A helper with more characters than this is not taken for a check of the object's state."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A method raises ``exception`` unless the attribute is ``wanted``."""

    attribute: str
    wanted: Wanted
    exception: str
    text: str
    function: FunctionDef
    line: int


@dataclass(frozen=True, slots=True)
class Store:
    """An assignment of the attribute. ``always``: on every path that reaches the method's end."""

    attribute: str
    function: FunctionDef
    line: int
    always: bool


@dataclass(slots=True)
class Effects:
    """What running a method can do to its object's attributes, helpers on ``self`` included."""

    guards: list[Guard] = field(default_factory=list)
    sets: list[Store] = field(default_factory=list)
    clears: set[str] = field(default_factory=set)

    def guard(self, attribute: str, wanted: Wanted) -> Guard | None:
        return next((g for g in self.guards if g.attribute == attribute and g.wanted == wanted), None)


def effects_of(world: World, cls: ClassDef, function: FunctionDef, depth: int = 0) -> Effects:
    """The effects of one method on an object of ``cls``; empty where its body cannot be read."""
    key = ("effects", cls, function, depth)
    if key not in world.cache:
        with world.guarded(key) as free:
            if not free:
                return Effects()
            world.cache[key] = _effects(world, cls, function, depth)
    return world.cache[key]


def _effects(world: World, cls: ClassDef, function: FunctionDef, depth: int) -> Effects:
    try:
        node = function.node
    except (SourceFault, AssertionError, IndexError):
        return Effects()
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return Effects()
    reader = _Reader(world, cls, function, arguments[0].arg, depth)
    reader.block(node.body, True)
    return reader.found


@dataclass
class _Reader:
    """Walks a body in order; ``straight`` says that every path through the method comes by."""

    world: World
    cls: ClassDef
    function: FunctionDef
    receiver: str
    depth: int
    found: Effects = field(default_factory=Effects)
    returned: bool = False

    def block(self, body: list[ast.stmt], straight: bool) -> None:
        for statement in body:
            self.statement(statement, straight)

    def statement(self, statement: ast.stmt, straight: bool) -> None:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self._guarding_if(statement, straight)
                self.block(body, False)
                self.block(orelse, False)
            case ast.Assert(test=test, msg=message):
                for attribute, wanted in occupied(test, self.receiver, False):
                    self._guard(
                        attribute, wanted, "AssertionError", words_of(message), statement.lineno, straight
                    )
            case ast.With(body=body) | ast.AsyncWith(body=body):
                self.block(body, straight)
            case ast.Try(body=body, handlers=_, orelse=orelse, finalbody=final):
                # What a handler does is the way out of a failure, not the method's effect.
                self.block([*body, *orelse], straight)
                self.block(final, straight)
            case (
                ast.For(body=body, orelse=orelse)
                | ast.While(body=body, orelse=orelse)
                | ast.AsyncFor(body=body, orelse=orelse)
            ):
                self.block([*body, *orelse], False)
            case ast.Match(cases=cases):
                for case in cases:
                    self.block(case.body, False)
            case ast.Return():
                self._simple(statement, straight)
                self.returned = True
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return
            case _:
                self._simple(statement, straight)

    def _guarding_if(self, statement: ast.If, straight: bool) -> None:
        if statement.orelse or not statement.body or not isinstance(statement.body[-1], ast.Raise):
            return
        raised = statement.body[-1].exc
        name, text = "Exception", ""
        if isinstance(raised, ast.Call):
            name = _last_name(raised.func) or name
            text = words_of(raised.args[0]) if raised.args else ""
        elif raised is not None:
            name = _last_name(raised) or name
        for attribute, wanted in occupied(statement.test, self.receiver, True):
            self._guard(attribute, wanted, name, text, statement.body[-1].lineno, straight)

    def _guard(
        self, attribute: str, wanted: Wanted, exception: str, text: str, line: int, straight: bool
    ) -> None:
        touched = attribute in self.found.clears or any(s.attribute == attribute for s in self.found.sets)
        if straight and not self.returned and not touched:
            self.found.guards.append(Guard(attribute, wanted, exception, text, self.function, line))

    def _simple(self, statement: ast.stmt, straight: bool) -> None:
        always = straight and not self.returned
        for node in own_nodes(statement):
            if isinstance(node, ast.Call):
                self._helper(node, always)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._store(target, value, always)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._store(target, value, always)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._store(target, ast.Constant(None), always)

    def _store(self, target: ast.expr, value: ast.expr, always: bool) -> None:
        match target:
            case ast.Attribute(value=ast.Name(id=base), attr=attribute) if base == self.receiver:
                if is_empty(value):
                    self.found.clears.add(attribute)
                else:
                    self.found.sets.append(Store(attribute, self.function, target.lineno, always))
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values = (
                    value.elts
                    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets)
                    else None
                )
                for number, one in enumerate(targets):
                    # Which part an unpacked value gives is not known: it may clear as well as set.
                    self._store(one, values[number] if values else ast.Constant(None), always)

    def _helper(self, call: ast.Call, always: bool) -> None:
        match call.func:
            case ast.Attribute(value=ast.Name(id=base), attr=name) if (
                base == self.receiver and self.depth < MAX_HELPERS
            ):
                helper = method_of(self.world, self.cls, name)
            case _:
                return
        if helper is None or helper is self.function or not self._matters(helper):
            return
        inner = effects_of(self.world, self.cls, helper, self.depth + 1)
        for guard in inner.guards:
            if always and not any(s.attribute == guard.attribute for s in self.found.sets):
                self.found.guards.append(guard)
        self.found.sets += [Store(s.attribute, s.function, s.line, s.always and always) for s in inner.sets]
        self.found.clears |= inner.clears

    def _matters(self, helper: FunctionDef) -> bool:
        """Whether a helper may guard, or touch what was guarded before: bodies are parsed only then."""
        text = helper.text
        if len(text) <= MAX_CHECK and ("raise" in text or "assert" in text):
            return True
        return any(guard.attribute in text for guard in self.found.guards)


def method_of(world: World, cls: ClassDef, name: str) -> FunctionDef | None:
    """The method that an object of a class has under a name."""
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef):
            function = owner.method(name)
            if function is not None:
                return function
            if name in owner.members:
                return None
    return None


def methods_of(world: World, cls: ClassDef) -> list[FunctionDef]:
    """Every method that an object of a class has, the overriding one of each name."""
    found: dict[str, FunctionDef] = {}
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef):
            for name in owner.members:
                function = owner.method(name) if name not in found else None
                if function is not None:
                    found[name] = function
    return list(found.values())


def is_empty(value: ast.expr) -> bool:
    """Whether assigning a value clears an attribute."""
    match value:
        case ast.Constant(value=constant):
            return constant is None or constant is False or constant == 0 or constant == ""
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id="dict" | "list" | "set"), args=[], keywords=[]):
            return True
    return False


def occupied(test: ast.expr, receiver: str, raises_if: bool) -> list[tuple[str, Wanted]]:
    """The attributes that a test asks about: (attribute, what it must be for the method to go on).

    ``raises_if``: the method raises where the test is true (``if``), else where it is false (``assert``).
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return occupied(operand, receiver, not raises_if)
        case ast.BoolOp(op=ast.Or(), values=values) if raises_if:
            return [found for value in values for found in occupied(value, receiver, raises_if)]
        case ast.BoolOp(op=ast.And(), values=values) if not raises_if:
            return [found for value in values for found in occupied(value, receiver, raises_if)]
        case ast.Attribute(value=ast.Name(id=base), attr=attribute) if base == receiver:
            return [(attribute, "empty" if raises_if else "set")]
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id=base), attr=attribute),
            ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Constant(value=None | True | False as against)],
        ) if base == receiver:
            true_when_set = isinstance(op, (ast.IsNot, ast.NotEq)) is (not against)
            return [(attribute, "empty" if true_when_set is raises_if else "set")]
    return []


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def words_of(node: ast.expr | None) -> str:
    """The text of an exception's message as far as it is written out."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return words_of(left) + words_of(right)
    return ""
