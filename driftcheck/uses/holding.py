"""Classes of the consumer below the provider's, and what it puts on the provider's own."""

from __future__ import annotations

import ast

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import Source
from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.hierarchy import base_values, mro
from driftcheck.infer.overrides import assumed_class
from driftcheck.infer.values import UNKNOWN, ClassValue, FunctionValue, Instance, ModuleValue, Value, options
from driftcheck.infer.world import World
from driftcheck.model import Span
from driftcheck.uses.grafts import Graft
from driftcheck.uses.use import ClassUse, PatchUse


def class_use(
    world: World, frame: Frame, cls: ClassDef, caught: frozenset[str], node: ast.AST
) -> ClassUse | None:
    """The use that a class statement of the consumer is; None where no provider class is above it."""
    above = [c for c in mro(world, cls).order if isinstance(c, ClassDef) and world.is_provider(c.module)]
    assumed = None
    if not above:
        assumed = _assumed_base(world, cls)
        if assumed is None:
            return None
    source = cls.module.source
    return ClassUse(cls.module.path, name_span(source, cls), node, caught, cls, assumed)


def _assumed_base(world: World, cls: ClassDef) -> ClassDef | None:
    # A class that is being resolved further out has one unknown base for all of them.
    for value, base in zip(base_values(world, cls), cls.header.bases, strict=False):
        if value is UNKNOWN:
            name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
            found = assumed_class(world, cls.module, name)
            if found is not None:
                return found
    return None


def patch_use(
    world: World,
    frame: Frame,
    node: ast.AST,
    receiver: Value,
    name: str,
    value: Value,
    caught: frozenset[str],
) -> PatchUse | None:
    """The use that an assignment to an attribute is; None where what it is put on is not the provider's."""
    if len(options(receiver)) != 1:
        return None
    assumed = False
    target = receiver_node(node)
    if receiver is UNKNOWN and target is not None:
        path = path_of(target)
        found = assumed_class(world, frame.scope.module, path.rpartition(".")[2]) if path else None
        if found is not None:
            receiver, assumed = ClassValue(found), True
    if not _is_providers(world, receiver):
        return None
    source = frame.scope.module.source
    path = path_of(target) if target is not None else None
    tested = path is not None and frame.env is not None and f"?{path}.{name}" in frame.env
    return PatchUse(
        frame.scope.module.path,
        source.span(node),
        node,
        caught,
        receiver,
        name,
        value,
        "assigned",
        tested,
        assumed,
    )


def graft_use(graft: Graft, node: ast.AST, caught: frozenset[str]) -> PatchUse:
    """The use that one function of a patch class, or one decorated function, is."""
    function = graft.function
    assert function is not None
    span = name_span(function.module.source, function)
    value = FunctionValue(function)
    return PatchUse(
        function.module.path, span, node, caught, graft.target, graft.name, value, "assigned", False
    )


def receiver_node(node: ast.AST) -> ast.expr | None:
    """The expression that an attribute is stored on: of ``a.b = …`` and of ``setattr(a, "b", …)``."""
    match node:
        case ast.Attribute(value=base):
            return base
        case ast.Call(args=[base, *_]):
            return base
    return None


def _is_providers(world: World, value: Value) -> bool:
    match value:
        case ModuleValue(name=module):
            return world.index_of(module) is world.provider
        case ClassValue(definition=cls) | Instance(cls=ClassValue(definition=cls)):
            return world.is_provider(cls.module)
    return False


def name_span(source: Source, definition: ClassDef | FunctionDef) -> Span:
    """Where a ``class`` or ``def`` statement has its name."""
    line = definition.line
    text = source.line(line)
    column = text.find(definition.name, text.find("class" if isinstance(definition, ClassDef) else "def") + 3)
    return Span(line, column + 1, line, column + 1 + len(definition.name))
