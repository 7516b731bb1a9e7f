"""Arguments that the callee declares to be classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.index.nodes import nodes_of
from driftcheck.infer.callables import signature_of
from driftcheck.infer.signatures import Argument, Arguments, Signature
from driftcheck.infer.values import ClassValue, Container, DictOf, FunctionValue, TupleOf, Value, options
from driftcheck.infer.world import World


def class_arguments(world: World, callee: Value, arguments: Arguments) -> Iterator[tuple[ast.AST, Value]]:
    """What the provider offers and is passed where the callee's annotation says ``type``, with its place."""
    given: list[tuple[int | str, Argument, Value]] = []
    places: list[tuple[int | str, Argument]] = [*enumerate(arguments.positional), *arguments.keywords.items()]
    for key, argument in places:
        given += [(key, argument, value) for value in _offered(world, argument.value)]
    if not given:
        return
    signatures = [signature_of(world, option) for option in options(callee)]
    for key, argument, value in given:
        if all(signature is not None and _declared_class(signature, key) for signature in signatures):
            yield _place(argument.node, value), value


def _offered(world: World, value: Value) -> list[Value]:
    """The provider's plain functions and classes that an argument is or holds."""
    inner: tuple[Value, ...]
    match value:
        case DictOf(key=key, value=entry):
            inner = (*options(key), *options(entry))
        case TupleOf(elements=elements):
            inner = elements
        case Container(element=element):
            inner = options(element)
        case _:
            inner = (value,)
    return [option for option in inner if _is_offered(world, option)]


def _is_offered(world: World, value: Value) -> bool:
    if isinstance(value, FunctionValue) and value.receiver is not None:
        return False
    return isinstance(value, (ClassValue, FunctionValue)) and world.is_provider(value.definition.module)


def _declared_class(signature: Signature, key: int | str) -> bool:
    if isinstance(key, int):
        slots = signature.positional()
        parameter = slots[key] if key < len(slots) else None
    else:
        parameter = signature.parameter(key)
    return parameter is not None and parameter.annotation is not None and _says_class(parameter.annotation)


def _says_class(annotation: ast.expr) -> bool:
    """Whether an annotation asks for classes (``type``, ``type[X]``, containers), not for callables."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return False
    names = {n.id for n in nodes_of(annotation) if isinstance(n, ast.Name)}
    names |= {n.attr for n in nodes_of(annotation) if isinstance(n, ast.Attribute)}
    return bool(names & {"type", "Type"}) and not names & {"Callable", "Any", "object", "Factory"}


def _place(node: ast.AST, value: Value) -> ast.AST:
    """The expression in an argument that names the function; the argument itself where that is not plain."""
    assert isinstance(value, (ClassValue, FunctionValue))
    name = value.definition.name
    root = node.value if isinstance(node, ast.keyword) else node
    for inner in nodes_of(root):
        if isinstance(inner, ast.Attribute) and inner.attr == name:
            return inner
        if isinstance(inner, ast.Name) and inner.id == name:
            return inner
    return root
