"""Defaults of fields and parameters as values, so that two ways to write one default are equal."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial

from driftcheck.index.classes import ClassDef
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.constructors import Field, field_style, fields_of
from driftcheck.infer.evaluator import Evaluator
from driftcheck.infer.hierarchy import class_members, is_enum, mro
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.states import methods_of
from driftcheck.infer.values import (
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    FunctionValue,
    LambdaValue,
    TupleOf,
    Value,
)
from driftcheck.infer.world import World


@dataclass(eq=False)
class Default:
    """A default as the call meets it.

    ``symbol`` is the dotted field or parameter, ``text`` how the default reads, ``module`` and ``line``
    where it is written. Its value is worked out when it is asked for.
    """

    name: str
    symbol: str
    text: str
    module: Module
    line: int
    read: Callable[[], Hashable | None]

    @cached_property
    def value(self) -> Hashable | None:
        """A key that equal defaults share; None where the value is not known."""
        return self.read()

    def differs(self, other: Default) -> bool:
        """Whether the two are known to be different values."""
        if self.text == other.text and self.text in _PLAIN:
            return False
        return self.value is not None and other.value is not None and self.value != other.value


_PLAIN = frozenset({"None", "True", "False", "0", "1", "''", "list()", "dict()"})
"""Texts that are one value wherever they stand. What a class puts in the place of None is not compared."""


def omitted_defaults(world: World, callee: Value, arguments: Arguments) -> dict[str, Default]:
    """The defaults that a call leaves in force, by name; empty where its arguments are not all known."""
    if arguments.open_keywords or arguments.open_positional:
        return {}
    found = defaults_of(world, callee)
    if not found:
        return {}
    given = set(arguments.keywords) | set(_positional_names(world, callee)[: len(arguments.positional)])
    return {name: default for name, default in found.items() if name not in given}


def _positional_names(world: World, callee: Value) -> list[str]:
    from driftcheck.infer.callables import signature_of

    signature = signature_of(world, callee)
    return [p.name for p in signature.positional()] if signature is not None else []


def defaults_of(world: World, callee: Value) -> dict[str, Default]:
    """Every default of a class's constructor or of a function, by parameter name."""
    match callee:
        case ClassValue(definition=cls):
            key = ("defaults", cls)
            if key not in world.cache:
                world.cache[key] = _of_class(world, cls)
            return world.cache[key]
        case FunctionValue(definition=function):
            return _of_parameters(world, callee, function.qualname)
    return {}


def _of_class(world: World, cls: ClassDef) -> dict[str, Default]:
    for owner in mro(world, cls).order:
        if not isinstance(owner, ClassDef):
            return {}
        try:
            if class_members(world, owner, "__init__"):
                function = owner.method("__init__")
                return (
                    _of_parameters(world, FunctionValue(function), owner.qualname)
                    if function is not None
                    else {}
                )
            if field_style(world, owner) is not None:
                return _of_fields(world, owner)
        except SourceFault:
            return {}
    return {}


def _of_fields(world: World, cls: ClassDef) -> dict[str, Default]:
    found: dict[str, Default] = {}
    for field in fields_of(world, cls):
        if field.init and field.has_default and field.default is not None:
            text = ast.unparse(field.default) + (
                "()" if field.factory and not isinstance(field.default, ast.Lambda) else ""
            )
            symbol = f"{field.owner.qualname}.{field.name}"
            read = partial(_field_key, world, cls, field)
            found[field.name] = Default(field.name, symbol, text, field.owner.module, field.line, read)
    return found


def _field_key(world: World, cls: ClassDef, field: Field) -> Hashable | None:
    assert field.default is not None
    value = value_key(world, field.owner.module, field.default, field.factory)
    return filled_later(world, cls, field.name) if value == _NONE else value


def _of_parameters(world: World, value: FunctionValue, prefix: str) -> dict[str, Default]:
    function = value.definition
    found: dict[str, Default] = {}
    for parameter in function.parameters:
        if parameter.default is not None:
            read = partial(value_key, world, function.module, parameter.default)
            symbol, text = f"{prefix}.{parameter.name}", ast.unparse(parameter.default)
            found[parameter.name] = Default(
                parameter.name, symbol, text, function.module, parameter.line, read
            )
    return found


_NONE: Hashable = ("const", "NoneType", None)


def value_key(world: World, module: Module, node: ast.expr, factory: bool = False) -> Hashable | None:
    """A key for the value of a default expression; None where the value is not known."""
    if factory:
        return _made(world, module, node)
    match node:
        case ast.Attribute(value=base, attr=name):
            holder = Evaluator(world, world.module_scope(module)).eval(base)
            if isinstance(holder, ClassValue) and is_enum(world, holder.definition):
                return ("member", holder.definition.name, name)
        case ast.Call(func=func) if not node.args and not node.keywords:
            made = Evaluator(world, world.module_scope(module)).eval(func)
            if isinstance(made, (ClassValue, External)):
                return _made(world, module, func)
    return constant_key(Evaluator(world, world.module_scope(module)).eval(node))


def _made(world: World, module: Module, node: ast.expr) -> Hashable | None:
    """What calling a factory gives."""
    if isinstance(node, ast.Lambda):
        return value_key(world, module, node.body)
    match Evaluator(world, world.module_scope(module)).eval(node):
        case External(path="builtins.list" | "builtins.dict" | "builtins.set" | "builtins.tuple" as path):
            return (path.removeprefix("builtins."), ())
        case ClassValue(definition=cls):
            return ("new", cls.name)
        case LambdaValue(node=body, closure=closure):
            return value_key(world, closure.module, body.body)
    return None


def constant_key(value: Value) -> Hashable | None:
    """A key for a value that is known in full; None for any other."""
    match value:
        case Const(value=constant):
            try:
                hash(constant)
            except TypeError:
                return None
            return ("const", type(constant).__name__, constant)
        case TupleOf(elements=elements):
            return _several("tuple", elements)
        case Container(kind=kind, elements=tuple(elements)):
            return _several(kind, elements)
        case DictOf(entries=entries, closed=True):
            keys = [(name, constant_key(inner)) for name, inner in entries]
            return None if any(k is None for _, k in keys) else ("dict", tuple(sorted(keys)))
    return None


def _several(kind: str, elements: tuple[Value, ...]) -> Hashable | None:
    keys = tuple(constant_key(element) for element in elements)
    return None if None in keys else (kind, keys)


def constant_of(default: Default) -> tuple[object] | None:
    """The plain constant that a default is, in a tuple; None where it is none."""
    match default.value:
        case ("const", str(), constant):
            return (constant,)
    return None


def filled_later(world: World, cls: ClassDef, name: str) -> Hashable | None:
    """What a default None stands for: what the class puts in its place; None where that is not known."""
    found: set[Hashable | None] = set()
    for method in methods_of(world, cls):
        if f".{name}" not in method.text or not (method.name.startswith("__") or method.decorators):
            continue
        try:
            nodes = method.own_nodes
        except (SourceFault, AssertionError, IndexError):
            return None
        for node in nodes:
            if isinstance(node, ast.If) and _asks_none(node.test, name):
                found |= {value_key(world, method.module, v) for v in _assigned(node.body, name)}
            elif isinstance(node, ast.Assign) and _assigned([node], name):
                match node.value:
                    case ast.BoolOp(op=ast.Or(), values=[ast.Attribute(attr=read), other]) if read == name:
                        found.add(value_key(world, method.module, other))
    if not found:
        return _NONE
    return found.pop() if len(found) == 1 else None


def _asks_none(test: ast.expr, name: str) -> bool:
    match test:
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id="self"), attr=attr),
            ops=[ast.Is()],
            comparators=[ast.Constant(value=None)],
        ):
            return attr == name
        case ast.UnaryOp(op=ast.Not(), operand=ast.Attribute(value=ast.Name(id="self"), attr=attr)):
            return attr == name
    return False


def _assigned(body: list[ast.stmt], name: str) -> list[ast.expr]:
    return [
        node.value
        for statement in body
        for node in nodes_of(statement)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == name
    ]
