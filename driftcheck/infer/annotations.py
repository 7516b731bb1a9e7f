"""What an annotation says of a value."""

from __future__ import annotations

import ast
from dataclasses import replace

from driftcheck.index.classes import ClassDef
from driftcheck.index.module import Module
from driftcheck.infer.values import (
    NONE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    Instance,
    Missing,
    TupleOf,
    Value,
    union,
)
from driftcheck.infer.world import World

_SCALARS = frozenset({"str", "int", "float", "bool", "bytes", "complex", "object"})
_SEQUENCES = {
    "builtins.list": "list", "typing.List": "list", "builtins.set": "set", "typing.Set": "set",
    "builtins.frozenset": "frozenset", "typing.FrozenSet": "frozenset", "collections.deque": "deque",
    "typing.Deque": "deque", "typing.Sequence": "sequence", "collections.abc.Sequence": "sequence",
    "typing.Iterable": "iterable", "collections.abc.Iterable": "iterable", "typing.Collection": "iterable",
    "collections.abc.Collection": "iterable", "typing.MutableSequence": "sequence",
    "collections.abc.MutableSequence": "sequence", "typing.AbstractSet": "set", "collections.abc.Set": "set",
    "typing.Iterator": "iterator", "collections.abc.Iterator": "iterator",
}  # fmt: skip
_MAPPINGS = frozenset(
    {
        "builtins.dict", "typing.Dict", "typing.Mapping", "typing.MutableMapping", "collections.abc.Mapping",
        "collections.abc.MutableMapping", "collections.OrderedDict", "typing.OrderedDict",
        "collections.defaultdict", "typing.DefaultDict",
    }
)  # fmt: skip
_TRANSPARENT = frozenset(
    {
        "typing.Annotated", "typing.Final", "typing.ClassVar", "typing.Required", "typing.NotRequired",
        "typing_extensions.Annotated", "dataclasses.InitVar", "typing_extensions.Required",
        "typing_extensions.NotRequired", "typing_extensions.ReadOnly", "typing.ReadOnly",
    }
)  # fmt: skip
_GENERATORS = {
    "typing.Generator": "generator", "collections.abc.Generator": "generator",
    "typing.AsyncGenerator": "async_generator", "collections.abc.AsyncGenerator": "async_generator",
    "typing.AsyncIterator": "async_generator", "collections.abc.AsyncIterator": "async_generator",
    "typing.AsyncIterable": "async_generator", "collections.abc.AsyncIterable": "async_generator",
}  # fmt: skip


def annotated(
    world: World,
    module: Module,
    node: ast.expr | None,
    args: tuple[Value, ...] = (),
    receiver: Value | None = None,
) -> Value:
    """The value of something annotated so; unknown where the annotation says nothing usable.

    ``receiver`` is what ``Self`` stands for.
    """
    if node is None:
        return UNKNOWN
    with world.guarded(("annotation", id(node))) as free:
        return _Reader(world, module, receiver).read(node) if free else UNKNOWN


_TESTS = frozenset(
    {"typing.TypeIs", "typing.TypeGuard", "typing_extensions.TypeIs", "typing_extensions.TypeGuard"}
)


def tested_types(world: World, module: Module, node: ast.expr | None) -> set[ClassDef]:
    """The classes whose objects a function that is declared to give ``TypeIs[…]`` answers yes for.

    Those that it tests classes for (``TypeIs[type[X]]``) are left out.
    """
    reader = _Reader(world, module, None)
    match _unquoted(node) if node is not None else None:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return tested_types(world, module, left) | tested_types(world, module, right)
        case ast.Subscript(value=base, slice=inner):
            target = reader.target(base)
            if target == External("typing.Union"):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return set[ClassDef]().union(*[tested_types(world, module, part) for part in parts])
            named = _unquoted(inner)
            if (
                isinstance(target, External)
                and target.path in _TESTS
                and not isinstance(named, ast.Subscript)
            ):
                found = reader.target(named)
                return {found.definition} if isinstance(found, ClassValue) else set()
    return set()


class _Reader:
    def __init__(self, world: World, module: Module, receiver: Value | None) -> None:
        self.world = world
        self.module = module
        self.receiver = receiver

    def read(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=None):
                return NONE
            case ast.Constant(value=str(text)):
                try:
                    return self.read(ast.parse(text.strip(), mode="eval").body)
                except (SyntaxError, ValueError, RecursionError):
                    return UNKNOWN
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return union([self.read(left), self.read(right)])
            case ast.Subscript(value=base, slice=inner):
                return self._subscript(self.target(base), inner)
            case ast.Name() | ast.Attribute():
                return self.instance_of(self.target(node))
        return UNKNOWN

    def target(self, node: ast.expr) -> Value:
        """The class that an annotation's name stands for, as a type checker resolves it."""
        match node:
            case ast.Name(id=name):
                value = self.world.member(self.module, name, types=True)
                if isinstance(value, Missing):
                    return External(f"builtins.{name}")
                return value
            case ast.Attribute(value=base, attr=name):
                above = self.target(base)
                if isinstance(above, External):
                    return External(f"{above.path}.{name}")
                from driftcheck.infer.attributes import lookup

                return lookup(self.world, above, name).value
        return UNKNOWN

    def instance_of(self, target: Value) -> Value:
        match target:
            case ClassValue():
                if _is_plain_data(self.world, target):
                    return UNKNOWN
                return Instance(target)
            case External(path=path):
                return self._external(path)
            case Const(value=None):
                return NONE
            case Instance() | Container() | TupleOf() | DictOf():
                # A module-level alias that evaluated to a typing construct's value says nothing.
                return UNKNOWN
        return UNKNOWN

    def _external(self, path: str) -> Value:
        head, _, last = path.rpartition(".")
        if path in ("typing.Self", "typing_extensions.Self"):
            return self.receiver if self.receiver is not None else UNKNOWN
        if path in _SEQUENCES:
            return Container(_SEQUENCES[path], UNKNOWN)
        if path in _MAPPINGS:
            return DictOf()
        if path == "builtins.tuple" or path == "typing.Tuple":
            return Container("tuple", UNKNOWN)
        if path in _GENERATORS:
            return Container(_GENERATORS[path], UNKNOWN)
        if head == "builtins":
            return Instance(External(path)) if last in _SCALARS and last != "object" else UNKNOWN
        if head in ("typing", "typing_extensions", "collections.abc", "types"):
            return UNKNOWN
        return Instance(External(path))

    def _subscript(self, base: Value, inner: ast.expr) -> Value:
        arguments = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if isinstance(base, ClassValue):
            if _is_plain_data(self.world, base):
                return UNKNOWN
            return Instance(base, False, tuple(self.read(a) for a in arguments))
        if not isinstance(base, External):
            return UNKNOWN
        path = base.path
        if path in ("typing.Optional",):
            return union([self.read(arguments[0]), NONE])
        if path in ("typing.Union",):
            return union([self.read(a) for a in arguments])
        if path in _TRANSPARENT:
            return self.read(arguments[0])
        if path in ("typing.Literal", "typing_extensions.Literal"):
            values: list[Value] = [
                Const(a.value) if isinstance(a, ast.Constant) else UNKNOWN for a in arguments
            ]
            if all(isinstance(v, Const) and isinstance(v.value, str) for v in values):
                return Instance(External("builtins.str"))
            return union(values)
        if path in ("builtins.tuple", "typing.Tuple"):
            if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is ...:
                return Container("tuple", self.read(arguments[0]))
            return TupleOf(tuple(self.read(a) for a in arguments))
        if path in _SEQUENCES:
            return Container(_SEQUENCES[path], self.read(arguments[0]))
        if path in _GENERATORS:
            return Container(_GENERATORS[path], self.read(arguments[0]))
        if path in _MAPPINGS and len(arguments) == 2:
            return DictOf((), False, self.read(arguments[0]), self.read(arguments[1]))
        if path in (
            "typing.Awaitable",
            "collections.abc.Awaitable",
            "typing.Coroutine",
            "collections.abc.Coroutine",
        ):
            from driftcheck.infer.values import Coroutine

            return Coroutine(self.read(arguments[-1]))
        if path in ("typing.Type", "builtins.type"):
            named = _unquoted(arguments[0])
            value = self.target(named) if isinstance(named, (ast.Name, ast.Attribute)) else UNKNOWN
            return replace(value, declared=True) if isinstance(value, ClassValue) else UNKNOWN
        if path.rpartition(".")[0] in ("typing", "typing_extensions", "collections.abc", "types"):
            return UNKNOWN
        return Instance(External(path))


def _unquoted(node: ast.expr) -> ast.expr:
    """The expression in a quoted annotation; any other as it is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return node
    return node


def _is_plain_data(world: World, target: ClassValue) -> bool:
    """Whether an annotation with this class leaves open what stands there: protocols, typed dicts."""
    from driftcheck.infer.hierarchy import mro

    order = mro(world, target.definition).order
    return any(
        isinstance(c, External) and c.path.rpartition(".")[2] in ("Protocol", "TypedDict") for c in order
    )
