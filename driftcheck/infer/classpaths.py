"""Classes of the consumer that a string puts to work inside the provider, as contracts say.

``ParallelConfig(worker_extension_cls="pkg.mod.Class")``: the class is mixed into another class of the
provider, so that ``self`` in it is an object of that class too. Strings are looked for by text before
anything is interpreted, because the class may be read long before the call that names it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from driftcheck.index.classes import ClassDef
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.index.tree_index import Index
from driftcheck.infer.values import ClassValue, ModuleValue, Value
from driftcheck.infer.world import World
from driftcheck.rulesdb.contracts import ClassPath


@dataclass
class Roles:
    """What the consumer's classes stand for.

    ``mixed``: into which classes of the provider each is mixed; ``instead``: the classes that take a
    base's place, by the base's dotted name; ``open``: parameters that some string not known here fills.
    """

    mixed: dict[ClassDef, tuple[ClassDef, ...]] = field(default_factory=dict)
    instead: dict[str, tuple[ClassDef, ...]] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)


def roles(world: World) -> Roles:
    """The roles of all the consumer's classes that a class-path string names."""
    key = "class-path-roles"
    if key not in world.cache:
        world.cache[key] = Roles()
        world.cache[key] = _roles(world)
    return world.cache[key]


def hosts(world: World, cls: ClassDef) -> tuple[ClassDef, ...]:
    """The provider's classes that a class of the consumer is mixed into by a string."""
    return roles(world).mixed.get(cls, ()) if world.contracts else ()


def provider_class(world: World, dotted: str) -> ClassDef | None:
    """The provider's class of a dotted name, through re-exports; None where it is not there."""
    module, _, name = dotted.rpartition(".")
    definition = world.module(module) if world.is_provider(module) else None
    value = world.member(definition, name) if definition is not None else None
    return value.definition if isinstance(value, ClassValue) else None


def _roles(world: World) -> Roles:
    found = Roles()
    for contract in world.contracts.of(ClassPath):
        name = contract.parameter.rpartition(".")[2]
        into = tuple(c for c in (provider_class(world, dotted) for dotted in contract.into) if c is not None)
        for module, expression in _fillings(world.consumer, name):
            cls = _named(world, module, expression)
            if cls is None:
                if not _says_nothing(expression):
                    found.open.add(contract.parameter)
                continue
            for one in _with_bases(world, cls):
                if into:
                    found.mixed[one] = tuple(dict.fromkeys((*found.mixed.get(one, ()), *into)))
            if contract.base:
                found.instead[contract.base] = (*found.instead.get(contract.base, ()), cls)
    return found


def _with_bases(world: World, cls: ClassDef) -> Iterator[ClassDef]:
    """A class and the consumer's classes above it: ``self`` in their methods is the same object."""
    from driftcheck.infer.hierarchy import mro

    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef) and not world.is_provider(owner.module):
            yield owner


def _fillings(index: Index, name: str) -> Iterator[tuple[Module, ast.expr]]:
    """Every expression of the tree that is given to a parameter, key or attribute of that name."""
    for path in index.files_mentioning(name):
        module = index.module(index.module_name(path))
        if module is None:
            continue
        try:
            tree = module.source.tree
        except SourceFault:
            continue
        for node in nodes_of(tree):
            for given, value in _given(node):
                if given == name:
                    yield module, value


def _given(node: ast.AST) -> Iterator[tuple[object, ast.expr]]:
    """What a piece of code gives under which name: keywords, keys, attributes."""
    match node:
        case ast.keyword(arg=arg, value=value):
            yield arg, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant):
                    yield key.value, value
        case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value):
            yield attr, value
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=text))], value=value):
            yield text, value
        case ast.Call(func=ast.Attribute(attr="setdefault"), args=[ast.Constant(value=text), value]):
            yield text, value


def _says_nothing(expression: ast.expr) -> bool:
    """Whether an expression names no class: empty, None, ``auto``."""
    return isinstance(expression, ast.Constant) and expression.value in ("", None, "auto")


def _named(world: World, module: Module, expression: ast.expr) -> ClassDef | None:
    """The consumer's class that a class-path expression names."""
    text = _text(world, module, expression, 0)
    if not text:
        return None
    path, _, name = text.replace(":", ".").rpartition(".")
    owner = world.consumer.module(path)
    value = _static_member(world, owner, name) if owner is not None else None
    return (
        value.definition
        if isinstance(value, ClassValue) and not world.is_provider(value.definition.module)
        else None
    )


def _static_member(world: World, module: Module, name: str, depth: int = 0) -> Value | None:
    """A class, module or re-exported one of the consumer, found without running any of its modules."""
    for binding in reversed(module.bindings.get(name, ())):
        if binding.kind == "class":
            return ClassValue(module.class_of(binding))
        if binding.kind == "module" and binding.module:
            return ModuleValue(binding.module)
        if binding.kind == "from" and binding.module and depth < 8:
            inner = world.consumer.module(f"{binding.module}.{binding.attribute}")
            if inner is not None:
                return ModuleValue(inner.name)
            other = world.consumer.module(binding.module)
            return (
                _static_member(world, other, binding.attribute or "", depth + 1)
                if other is not None
                else None
            )
    return None


def _text(world: World, module: Module, node: ast.expr, depth: int) -> str | None:
    """The string that an expression gives: literals, constants, a class's own names, put together."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([_text(world, module, left, depth), _text(world, module, right, depth)])
        case ast.JoinedStr(values=values):
            return _joined([_text(world, module, value, depth) for value in values])
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return _text(world, module, value, depth)
        case ast.Name(id="__name__"):
            return module.name
        case ast.Name(id=name) if depth < 4:
            return _constant(world, module, name, depth)
        case ast.Attribute(value=ast.Name(id=name), attr="__module__" | "__qualname__" | "__name__" as attr):
            named = _static_member(world, module, name)
            if isinstance(named, ClassValue):
                return named.definition.module.name if attr == "__module__" else named.definition.name
    return None


def _joined(parts: list[str | None]) -> str | None:
    texts = [part for part in parts if part is not None]
    return "".join(texts) if len(texts) == len(parts) else None


def _constant(world: World, module: Module, name: str, depth: int) -> str | None:
    bindings = module.bindings.get(name, ())
    if len(bindings) != 1:
        return None
    binding = bindings[0]
    if binding.kind == "from" and binding.module:
        other = world.consumer.module(binding.module)
        return (
            _constant(world, other, binding.attribute or "", depth + 1)
            if other is not None and depth < 4
            else None
        )
    if binding.kind != "value":
        return None
    try:
        statement = module.source.parse(binding.item)
    except (SourceFault, IndexError):
        return None
    value = getattr(statement, "value", None)
    return _text(world, module, value, depth + 1) if isinstance(value, ast.expr) else None
