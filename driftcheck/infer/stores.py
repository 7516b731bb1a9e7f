"""What the methods of a class assign to an attribute of the object.

Only the statements that lead to the assignment are run: an ``__init__`` of a few hundred lines sets dozens
of attributes, and one of them rarely needs more than a branch and two locals.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import children_of, nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.annotations import annotated
from driftcheck.infer.hierarchy import is_subclass, mro
from driftcheck.infer.run import MAX_BODY, interpret, returned
from driftcheck.infer.values import NONE, UNKNOWN, ClassValue, FunctionValue, Instance, Value, options, union
from driftcheck.infer.variants import note_choice
from driftcheck.infer.world import World

_BLOCKS = ("body", "orelse", "finalbody")
SELF_CALL = re.compile(r"\bself\.(\w+)\(")
"""The names of the methods that a piece of text calls on the object."""


def runs_overridden(world: World, cls: ClassDef, owner: ClassDef, name: str) -> bool:
    """Whether a method of ``owner`` that assigns an attribute runs one that a subclass overrides."""
    if cls is owner:
        return False
    below = [c for c in mro(world, cls).order if isinstance(c, ClassDef)]
    below = below[: below.index(owner)] if owner in below else []
    names = {n for c in below for n in c.members if not n.startswith("__")}
    if not names:
        return False
    storing = [f for f in owner.methods() if f.assigns(name)]
    return any(not names.isdisjoint(SELF_CALL.findall(function.text)) for function in storing)


def attribute_values(world: World, owner: ClassDef, name: str, actual: ClassDef) -> Value:
    """What the methods of a class assign to ``self.<name>``, joined; an annotation speaks for all of it.

    ``actual`` is the class of the object that they run on: ``owner`` or one below it.
    An annotation that leaves out a class which is really assigned does not: all that is assigned counts.
    """
    found: list[Value] = []
    said: Value = UNKNOWN
    for function in owner.methods():
        if name not in function.text:
            continue
        try:
            annotation = _annotation(function, name)
        except SourceFault:
            return UNKNOWN
        if annotation is not None and said is UNKNOWN:
            said = annotated(world, function.module, annotation)
            if said is not UNKNOWN and not _makes_objects(function, name):
                return said
        found.extend(stored_values(world, actual, function, name))
    stored = union(found) if found else UNKNOWN
    if said is not UNKNOWN and not _contradicts(world, stored, said):
        return said
    note_choice(world, owner, name, stored)
    return stored


def _contradicts(world: World, stored: Value, said: Value) -> bool:
    """Whether known classes are stored of which one is none of those that the annotation allows."""
    kinds = [v for v in options(stored) if v != NONE]
    allowed = [
        v.cls.definition for v in options(said) if isinstance(v, Instance) and isinstance(v.cls, ClassValue)
    ]
    classes = [v.cls.definition for v in kinds if isinstance(v, Instance) and isinstance(v.cls, ClassValue)]
    if not allowed or len(classes) != len(kinds):
        return False
    return any(all(is_subclass(world, cls, other) is False for other in allowed) for cls in classes)


def _annotation(function: FunctionDef, name: str) -> ast.expr | None:
    if not _is_before_colon(function.text, name):
        return None
    for node in function.statements:
        if (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Attribute)
            and node.target.attr == name
        ):
            return node.annotation
    return None


def _is_before_colon(text: str, name: str) -> bool:
    """Whether a colon follows the name somewhere: without one there is no annotation to parse for."""
    at = text.find(name)
    while at >= 0:
        at += len(name)
        if text[at : at + 10].lstrip(" ").startswith(":"):
            return True
        at = text.find(name, at)
    return False


def _makes_objects(function: FunctionDef, name: str) -> bool:
    """Whether the attribute is given what a call or a choice makes, so that a look at it may tell more."""
    for node in function.statements:
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=attr)], value=ast.Call() | ast.IfExp()) if (
                attr == name
            ):
                return True
            case ast.AnnAssign(target=ast.Attribute(attr=attr), value=ast.Call() | ast.IfExp()) if (
                attr == name
            ):
                return True
    return False


def stored_values(world: World, owner: ClassDef, function: FunctionDef, name: str) -> list[Value]:
    """What one method, run on an object of ``owner``, assigns to ``self.<name>``: a value for each assignment."""
    if len(function.text) > MAX_BODY:
        return []
    return world.remember(
        ("stores", function, name, owner), lambda: _stored(world, owner, function, name), []
    )


def _stored(world: World, owner: ClassDef, function: FunctionDef, name: str) -> list[Value]:
    if not function.assigns(name):
        return []
    body = _slice(function, name)
    value = FunctionValue(function, Instance(ClassValue(owner)))
    outcome = interpret(world, value, None, heard=False, body=body)
    makers = [outcome.calls[id(call)] for call in _made_by(body, name) if id(call) in outcome.calls]
    return [*outcome.stores.get(name, []), *(made for maker in makers for made in _made(world, maker))]


def _made_by(body: list[ast.stmt], name: str) -> Iterator[ast.Call]:
    """The calls of a method of the object whose result the attribute gets."""
    for statement in body:
        for node in nodes_of(statement):
            match node:
                case (
                    ast.Assign(
                        targets=[ast.Attribute(attr=attr)], value=ast.Call(func=ast.Attribute()) as call
                    )
                    | ast.AnnAssign(
                        target=ast.Attribute(attr=attr), value=ast.Call(func=ast.Attribute()) as call
                    )
                ) if attr == name:
                    yield call


def _made(world: World, maker: Value) -> list[Value]:
    """What a method returns by its body where its annotation leaves one of the classes out."""
    if not isinstance(maker, FunctionValue) or maker.receiver is None:
        return []
    function = maker.definition
    said = annotated(world, function.module, function.header.returns)
    if said is UNKNOWN:
        return []
    result = returned(world, maker, None)
    return [result] if _contradicts(world, result, said) else []


def _slice(function: FunctionDef, name: str) -> list[ast.stmt]:
    """The statements that decide ``self.<name>``; kept, since their nodes are cache keys."""
    slices: dict[str, list[ast.stmt]] = function.__dict__.setdefault("_slices", {})
    if name not in slices:
        slices[name] = _Slicer(name).block(function.node.body)
    return slices[name]


class _Slicer:
    """Keeps, from the end to the start, what binds a name that something kept reads."""

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute
        self.needed: set[str] = set()

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The relevant statements of a block, in order."""
        kept: list[ast.stmt] = []
        for statement in reversed(body):
            relevant = self._statement(statement)
            if relevant is not None:
                kept.append(relevant)
        return kept[::-1]

    def _statement(self, statement: ast.stmt) -> ast.stmt | None:
        if isinstance(
            statement, (ast.If, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.Try)
        ):
            return self._compound(statement)
        if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            # A way out of a kept branch decides whether what follows is reached.
            self.needed |= _read(statement)
            return statement
        if self._binds(statement):
            self.needed |= _read(statement)
            return statement
        return None

    def _compound(self, statement: ast.stmt) -> ast.stmt | None:
        # A branch that only leaves early is left out: what is assigned after it is what it would be.
        if not self._binds(statement):
            return None
        sliced = copy.copy(statement)
        for field in _BLOCKS:
            inner = getattr(statement, field, None)
            if inner:
                kept = self.block(inner)
                setattr(
                    sliced,
                    field,
                    kept or ([ast.copy_location(ast.Pass(), inner[0])] if field == "body" else []),
                )
        if isinstance(sliced, ast.Try):
            sliced.handlers = [self._handler(handler) for handler in sliced.handlers]
        for expression in _headers(statement):
            self.needed |= _read(expression)
        return sliced

    def _handler(self, handler: ast.ExceptHandler) -> ast.ExceptHandler:
        sliced = copy.copy(handler)
        sliced.body = self.block(handler.body) or [ast.copy_location(ast.Pass(), handler.body[0])]
        return sliced

    def _binds(self, statement: ast.stmt) -> bool:
        bound = _bound(statement)
        return self.attribute in bound or not bound.isdisjoint(self.needed)


def _bound(statement: ast.AST) -> frozenset[str]:
    """The names and attributes that a statement gives a value or changes, found once a statement."""
    known: frozenset[str] | None = getattr(statement, "_bound", None)
    if known is None:
        known = frozenset(_bound_in(statement))
        statement._bound = known  # type: ignore[attr-defined]
    return known


def _bound_in(node: ast.AST) -> Iterator[str]:
    """What a node and all below it bind; a statement inside is asked itself, which keeps its answer."""
    yield from _bound_here(node)
    for child in children_of(node):
        if isinstance(child, (ast.stmt, ast.ExceptHandler)):
            yield from _bound(child)
        else:
            for inner in nodes_of(child):
                yield from _bound_here(inner)


def _bound_here(node: ast.AST) -> tuple[str, ...]:
    reader = _BINDERS.get(node.__class__)
    return reader(node) if reader is not None else ()


def _of_attribute(node: Any) -> tuple[str, ...]:
    return (node.attr,) if isinstance(node.ctx, ast.Store) else ()


def _of_name(node: Any) -> tuple[str, ...]:
    return (node.id,) if isinstance(node.ctx, ast.Store) else ()


def _of_definition(node: Any) -> tuple[str, ...]:
    return (node.name,)


def _of_alias(node: Any) -> tuple[str, ...]:
    return (node.asname or node.name.split(".")[0],)


def _of_call(node: Any) -> tuple[str, ...]:
    match node:
        case ast.Call(func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"), args=args):
            return tuple(a.value for a in args if isinstance(a, ast.Constant) and isinstance(a.value, str))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _CHANGES:
            return (name,)
    return ()


def _of_subscript(node: Any) -> tuple[str, ...]:
    return (node.value.id,) if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Store) else ()


_BINDERS: dict[type[ast.AST], Callable[[Any], tuple[str, ...]]] = {
    ast.Attribute: _of_attribute,
    ast.Name: _of_name,
    ast.FunctionDef: _of_definition,
    ast.AsyncFunctionDef: _of_definition,
    ast.ClassDef: _of_definition,
    ast.alias: _of_alias,
    ast.Call: _of_call,
    ast.Subscript: _of_subscript,
}
_CHANGES = frozenset({"append", "extend", "insert", "update", "setdefault", "add"})


def _headers(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a compound statement outside its blocks."""
    for field, value in ast.iter_fields(statement):
        if field in _BLOCKS or field == "handlers":
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield item


def _read(node: ast.AST) -> set[str]:
    """The local names that a piece of code reads; attributes of the object are looked up like any other."""
    return {n.id for n in nodes_of(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
