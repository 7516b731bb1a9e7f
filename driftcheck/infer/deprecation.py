"""Deprecations as a library announces them: decorators, ``warnings.warn`` and a logger's warnings.

A :class:`Notice` says what the announcement is and under which tests it is made, so that one that
concerns an argument is told only of calls that pass it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.frame import path_of
from driftcheck.infer.values import Const, External, Value
from driftcheck.infer.world import World

_CATEGORIES = frozenset({"DeprecationWarning", "PendingDeprecationWarning", "FutureWarning"})
_LOGS = frozenset({"warning", "warning_once", "warn", "warn_once"})
Test = tuple[ast.expr, bool]
_Body = ast.FunctionDef | ast.AsyncFunctionDef | None


@dataclass(frozen=True)
class Notice:
    """One announcement: its text, its line, the tests it stands under with the truth each needs, and the
    parameters that it is about where a decorator lists them."""

    text: str
    line: int
    tests: tuple[Test, ...] = ()
    parameters: tuple[str, ...] = ()
    node: ast.AST | None = None
    alone: bool = False
    """Whether an object of a class below the one that is marked is made without a word."""


def announces(text: str) -> bool:
    """Whether a text says that something is deprecated, in whatever case."""
    return "deprecat" in (small := text.lower()) or "futurewarning" in small


def notices(world: World, function: FunctionDef) -> tuple[Notice, ...]:
    """What a function's decorators and body announce, nested functions left out."""
    key = ("notices", function)
    if key not in world.cache:
        world.cache[key] = ()
        if announces(function.text):
            try:
                found = [*_decorators(world, function.module, function.decorators)]
                found += _in_body(world, function.module, function.node)
                world.cache[key] = tuple(found)
            except SourceFault:
                pass
    return world.cache[key]


def class_notices(world: World, cls: ClassDef) -> tuple[Notice, ...]:
    """What a class's decorators announce."""
    if not announces(cls.text[: cls.item.header_end() - cls.item.start]):
        return ()
    try:
        return tuple(_decorators(world, cls.module, cls.header.decorator_list))
    except SourceFault:
        return ()


def announcements(world: World, definition: ClassDef | FunctionDef) -> list[Notice]:
    """What a function, or a class with its own constructor, announces of itself."""
    if isinstance(definition, FunctionDef):
        return list(notices(world, definition))
    found = list(class_notices(world, definition))
    for name in ("__init__", "__post_init__", "__new__"):
        method = definition.method(name)
        found += notices(world, method) if method is not None else ()
    return found


def module_notices(world: World, module: Module) -> tuple[Notice, ...]:
    """What a module announces as it is imported."""
    key = ("module-notices", module.name)
    if key not in world.cache:
        found: list[Notice] = []
        if announces(module.source.text):
            for item in module.source.items:
                if item.kind != "other" or "warn" not in module.source.blank[item.start : item.end]:
                    continue
                try:
                    statement = module.source.parse(item)
                except (SourceFault, IndexError):
                    continue
                found += _announced(world, module, statement, (), None)
        world.cache[key] = tuple(found)
    return world.cache[key]


def _decorators(world: World, module: Module, decorators: list[ast.expr]) -> Iterator[Notice]:
    for decorator in decorators:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = (path_of(target) or "").rpartition(".")[2]
        if not name.startswith("deprecat"):
            continue
        arguments = decorator.args if isinstance(decorator, ast.Call) else []
        keywords = {k.arg: k.value for k in decorator.keywords} if isinstance(decorator, ast.Call) else {}
        if "arg" in name or "param" in name:
            listed = tuple(
                a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str)
            )
            extra = next((v for k, v in keywords.items() if k and "mess" in k), None)
            text = _text(world, module, extra, None) if extra is not None else ""
            if listed:
                yield Notice(text, decorator.lineno, (), listed)
            continue
        message = next(iter(arguments), None) or next(
            (v for k, v in keywords.items() if k and "mess" in k), None
        )
        text = _text(world, module, message, None) if message is not None else ""
        yield Notice(text, decorator.lineno, alone=_is_standard(world, module, target))


def _is_standard(world: World, module: Module, decorator: ast.expr) -> bool:
    """Whether a decorator is PEP 702's, which says of a class only that class itself is deprecated."""
    from driftcheck.infer.evaluator import Evaluator  # which comes to ask this module

    made = Evaluator(world, world.module_scope(module)).eval(decorator)
    return made in (External("warnings.deprecated"), External("typing_extensions.deprecated"))


def _in_body(world: World, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Notice]:
    yield from _suite(world, module, node.body, (), node)


def _suite(
    world: World, module: Module, body: list[ast.stmt], tests: tuple[Test, ...], function: _Body
) -> Iterator[Notice]:
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _suite(world, module, statement.body, (*tests, (statement.test, True)), function)
            yield from _suite(world, module, statement.orelse, (*tests, (statement.test, False)), function)
            # What follows runs only where the branch that leaves was not taken.
            if _leaves(statement.body):
                tests = (*tests, (statement.test, False))
            elif statement.orelse and _leaves(statement.orelse):
                tests = (*tests, (statement.test, True))
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _suite(world, module, statement.body, tests, function)
        elif isinstance(statement, ast.Try):
            yield from _suite(world, module, statement.body, tests, function)
        else:
            yield from _announced(world, module, statement, tests, function)


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a branch never comes to its end."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.With(body=inner) | ast.AsyncWith(body=inner):
            return _leaves(inner)
        case ast.If(body=inner, orelse=other):
            return _leaves(inner) and _leaves(other)
    return False


def _announced(
    world: World, module: Module, statement: ast.stmt, tests: tuple[Test, ...], function: _Body
) -> Iterator[Notice]:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return
    call = statement.value
    path = path_of(call.func) or ""
    owner, _, name = path.rpartition(".")
    if not call.args or name not in _LOGS:
        return
    text = _text(world, module, call.args[0], function)
    if owner == "warnings" or (name == "warn" and not owner):
        named = {
            path_of(n) for n in [*call.args[1:2], *[k.value for k in call.keywords if k.arg == "category"]]
        }
        if not named & _CATEGORIES and not announces(text):
            return
    elif "log" not in owner.lower() or not announces(text):
        return
    yield Notice(text, call.lineno, tests, (), call)


def _text(world: World, module: Module, node: ast.expr, function: _Body) -> str:
    """A message as far as it can be read; what is filled in at run time as ``…``."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(world, module, v, function) for v in values)
        case ast.FormattedValue():
            return "…"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(world, module, left, function) + _text(world, module, right, function)
        case ast.BinOp(left=left, op=ast.Mod()):
            return re.sub(r"%[a-z]", "…", _text(world, module, left, function))
        case ast.Call(func=ast.Attribute(value=inner, attr="format" | "strip")):
            return re.sub(r"\{\w*\}", "…", _text(world, module, inner, function))
        case ast.Name(id=name):
            for part in nodes_of(function) if function is not None else ():
                match part:
                    case ast.Assign(targets=[ast.Name(id=target)], value=assigned) if target == name:
                        return _text(world, module, assigned, None)
            known = world.member(module, name)
            if isinstance(known, Const) and isinstance(known.value, str):
                return known.value
    return "…"


_REMOVAL = re.compile(
    r"(?:remov\w+|dropp?\w*|unsupported|disabled|error)\b[^.;:!?]{0,40}?\b(?:in|from|by|after|with|since|until)\s+"
    r"(?:\w+\s+)?(?:version\s+|release\s+)?[`'\"]?v?(\d+(?:\.\d+)+)",
    re.IGNORECASE,
)
_REPLACEMENT = re.compile(
    r"(?:\buse|\busing|replaced (?:by|with)|in favou?r of|renamed to|moved to|switch to|migrate to|prefer"
    r"|import(?:ed)? from)\s+"
    r"(?:the\s+)?(?:new\s+)?(?P<quote>[`'\"]{0,3})(?P<name>[A-Za-z_-][\w.=\-]*(?:\(\))?)",
    re.IGNORECASE,
)
_NO_NAME = frozenset(
    {"it", "this", "that", "the", "a", "an", "is", "of", "instead", "another", "other", "one"}
)


def removal_version(text: str) -> str | None:
    """The release in which a message announces the removal; None where it names none."""
    found = _REMOVAL.search(text)
    return found.group(1) if found else None


def replacement(text: str) -> str | None:
    """What a message says to use instead; None where it names nothing that looks like code."""
    for found in _REPLACEMENT.finditer(text):
        name = found.group("name").rstrip(".")
        if name.lower() in _NO_NAME or text.startswith("…", found.end()):
            continue  # the rest of the name is put together when it is said
        if found.group("quote") or "_" in name or "." in name or name.endswith("()") or name[:1].isupper():
            return name
    return None


def passed_value(
    values: dict[str, Value], names: dict[str, str], node: ast.expr
) -> tuple[str, Value | None] | None:
    """The parameter that an expression reads and what was passed for it (None: nothing).

    ``names``: local variables that hold a parameter taken from ``**kwargs``.
    """
    match node:
        case ast.Name(id=name):
            name = names.get(name, name)
            return name, values.get(name)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name, values.get(name)
        case ast.NamedExpr(value=value):
            return passed_value(values, names, value)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr="pop" | "get"), args=[ast.Constant(value=str(name)), *_]
        ):
            return name, values.get(name)
    return None
