"""Where a field's value makes the provider raise: what one value runs into and another does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.carriers import Reader, readers_of
from driftcheck.infer.declared import declared_value, receiver_in
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.repeats import ends_of
from driftcheck.infer.states import method_of, words_of
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, options
from driftcheck.infer.world import World

MAX_FILES = 40
"""Overriding methods are looked for where no more files than this mention the name."""


@dataclass(frozen=True, slots=True)
class Strike:
    """``function`` raises ``exception`` at ``line``, reached from ``start``.

    ``attribute``: it raises where that attribute of some object is empty; None: in any case.
    """

    start: FunctionDef
    function: FunctionDef
    line: int
    exception: str
    text: str
    attribute: str | None = None


def strikes_of(world: World, cls: ClassDef, attribute: str, new: object, old: object) -> list[Strike]:
    """The failures that the value ``new`` of a field leads to and ``old`` does not.

    Followed where the two differ in truth, which is what nearly every such check asks.
    """
    found: list[Strike] = []
    if bool(new) == bool(old):
        return found
    for reader in readers_of(world, cls, attribute):
        found += _in_block(world, reader, reader.function.node.body, new, old)
    return found


def _in_block(
    world: World, reader: Reader, body: list[ast.stmt], new: object, old: object
) -> Iterator[Strike]:
    for number, statement in enumerate(body):
        match statement:
            case ast.If(test=test, body=then, orelse=orelse):
                now, then_before = truth_under(test, reader, new), truth_under(test, reader, old)
                if now is not None and then_before is not None and now is not then_before:
                    rest = body[number + 1 :] if "next" not in ends_of(then) else []
                    yield from _failures(world, reader.function, then if now else [*orelse, *rest], True)
                    continue
                if now is None and then_before is None and not _mentions(test, reader):
                    # A condition about something else: what is below it is not known to run.
                    continue
            case ast.Assert(test=test, msg=message):
                if truth_under(test, reader, new) is False and truth_under(test, reader, old) is True:
                    yield Strike(
                        reader.function,
                        reader.function,
                        statement.lineno,
                        "AssertionError",
                        words_of(message),
                    )
            case (
                ast.For(body=inner) | ast.AsyncFor(body=inner) | ast.While(body=inner) | ast.With(body=inner)
            ):
                yield from _in_block(world, reader, inner, new, old)
            case ast.Try(body=inner, handlers=[]):
                yield from _in_block(world, reader, inner, new, old)


def _mentions(test: ast.expr, reader: Reader) -> bool:
    return any(node in reader.nodes for node in nodes_of(test))


def truth_under(test: ast.expr, reader: Reader, value: object) -> bool | None:
    """A test's truth where the expressions that read the field give ``value``; None where more decides."""
    if test in reader.nodes:
        return bool(value)
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth_under(operand, reader, value)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            answers = [truth_under(v, reader, value) for v in values]
            decisive = isinstance(op, ast.Or)
            if decisive in answers:
                return decisive
            return None if None in answers else not decisive
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=constant)]) if (
            left in reader.nodes
        ):
            match op:
                case ast.Is():
                    return value is constant
                case ast.IsNot():
                    return value is not constant
                case ast.Eq():
                    return value == constant
                case ast.NotEq():
                    return value != constant
    return None


def _failures(world: World, start: FunctionDef, body: list[ast.stmt], follow: bool) -> Iterator[Strike]:
    """What raises in statements that all run, also behind one call."""
    yield from _failures_in(world, start, start, body, follow)


def _failures_in(
    world: World, start: FunctionDef, function: FunctionDef, body: list[ast.stmt], follow: bool
) -> Iterator[Strike]:
    for statement in body:
        match statement:
            case ast.Raise(exc=raised):
                yield Strike(start, function, statement.lineno, *_exception(raised))
                return
            case ast.Assert(test=test, msg=message):
                attribute = empty_fails(test, False)
                if attribute is not None:
                    text = words_of(message)
                    yield Strike(start, function, statement.lineno, "AssertionError", text, attribute)
            case ast.If(test=test, body=[*_, ast.Raise(exc=raised) as last]):
                attribute = empty_fails(test, True)
                if attribute is not None:
                    yield Strike(start, function, last.lineno, *_exception(raised), attribute)
            case ast.Return() | ast.Expr() | ast.Assign() | ast.AnnAssign() if follow:
                for call in nodes_of(statement):
                    if isinstance(call, ast.Call):
                        yield from _behind(world, start, function, call)
            case ast.For(body=inner) | ast.With(body=inner):
                yield from _failures_in(world, start, function, inner, follow)
        if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
            return


def _behind(world: World, start: FunctionDef, function: FunctionDef, call: ast.Call) -> Iterator[Strike]:
    """Failures of the methods that a call may run: the one that it names, and those that override it."""
    if not isinstance(call.func, ast.Attribute):
        return
    value = FunctionValue(function, receiver_in(world, function))
    for option in options(declared_value(world, value, call.func.value)):
        match option:
            case Instance(cls=ClassValue(definition=cls)):
                yield from _of_any(world, start, overriding(world, cls, call.func.attr))


def _of_any(world: World, start: FunctionDef, methods: list[FunctionDef]) -> list[Strike]:
    """Failures of a virtual call: none where one of the methods that it may run goes through."""
    found: list[Strike] = []
    for method in methods:
        try:
            body = method.node.body
        except (SourceFault, AssertionError, IndexError):
            return []
        if _is_abstract(body):
            continue
        strikes = list(_failures_in(world, start, method, body, False))
        if not strikes:
            return []
        found += strikes
    return found


def _is_abstract(body: list[ast.stmt]) -> bool:
    """Whether a method only says that a subclass must have it."""
    last = body[-1]
    if isinstance(last, ast.Raise):
        return _exception(last.exc)[0] == "NotImplementedError"
    return len(body) == 1 and (
        isinstance(last, ast.Pass) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant))
    )


def overriding(world: World, cls: ClassDef, name: str) -> list[FunctionDef]:
    """The methods that a call on an object of a class may run: its own, and those of the classes below."""
    key = ("overriding", cls, name)
    if key not in world.cache:
        own = method_of(world, cls, name)
        world.cache[key] = ([own] if own is not None else []) + _below(world, cls, name)
    return world.cache[key]


def _below(world: World, cls: ClassDef, name: str) -> list[FunctionDef]:
    index = world.provider
    paths = index.files_mentioning(name)
    if len(paths) > MAX_FILES:
        return []
    found: list[FunctionDef] = []
    for path in paths:
        module = index.module(index.module_name(path))
        for binding in module.functions_and_classes if module is not None else ():
            if binding.kind == "class" and module is not None:
                other = module.class_of(binding)
                if other is not cls and name in other.members and cls in mro(world, other).order:
                    method = other.method(name)
                    found += [method] if method is not None else []
    return found


def _exception(raised: ast.expr | None) -> tuple[str, str]:
    target = raised.func if isinstance(raised, ast.Call) else raised
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "Exception")
    words = words_of(raised.args[0]) if isinstance(raised, ast.Call) and raised.args else ""
    return name, words


def empty_fails(test: ast.expr, raises_if: bool) -> str | None:
    """The attribute whose emptiness makes a check fail; None for any other check."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return empty_fails(operand, not raises_if)
        case ast.Attribute(attr=name) if not raises_if:
            return name
        case ast.Compare(left=ast.Attribute(attr=name), ops=[op], comparators=[ast.Constant(value=None)]):
            return name if isinstance(op, ast.Is if raises_if else ast.IsNot) else None
        case ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(attr=name)]), ops=[op]):
            wanted = (ast.Lt, ast.LtE, ast.Eq) if raises_if else (ast.GtE, ast.Gt)
            return name if isinstance(op, wanted) else None
    return None
