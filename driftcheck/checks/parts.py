"""What the consumer does with the parts of a result, which shows whose result the code is written for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.checks.answer import View
from driftcheck.checks.results import targets
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.attributes import lookup
from driftcheck.infer.containers import element_of
from driftcheck.infer.values import NONE, UNKNOWN, Container, DictOf, TupleOf, Value, options
from driftcheck.uses.results import ResultUse


def parts_fail(use: ResultUse, view: View) -> bool:
    """Whether a loop over the result reads an attribute that its parts lack on the view's version."""
    if use.how != "iterate":
        return False
    element = element_of(view.world, use.value)
    kinds = [option for option in options(element) if option != NONE]
    if (
        element is UNKNOWN
        or not kinds
        or not all(isinstance(kind, (Container, TupleOf, DictOf)) for kind in kinds)
    ):
        return False
    return any(all(_lacks(view, kind, name) for kind in kinds) for name in _read(use, view))


def unpacked_into(use: ResultUse, view: View) -> int | None:
    """How many names a loop over the result takes each part apart into; None where it does not."""
    module = view.world.consumer.module(view.world.consumer.module_name(use.path))
    if use.how != "iterate" or module is None:
        return None
    for node in _rounds(view, module).get(_place(use.node), ()):
        if isinstance(node, (ast.For, ast.comprehension)):
            return targets(node.target)
    return None


Place = tuple[int | None, ...]
Round = ast.For | ast.comprehension | ast.ListComp | ast.SetComp | ast.GeneratorExp


def _rounds(view: View, module: Module) -> dict[Place, list[Round]]:
    """What goes over each iterated expression of a file, by the expression's place."""
    key = ("rounds", module.name)
    if key not in view.world.cache:
        found: dict[Place, list[Round]] = {}
        for node in module.source.nodes:
            if isinstance(node, (ast.For, ast.comprehension)):
                found.setdefault(_place(node.iter), []).append(node)
            elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
                for clause in node.generators:
                    found.setdefault(_place(clause.iter), []).append(node)
        view.world.cache[key] = found
    rounds: dict[Place, list[Round]] = view.world.cache[key]
    return rounds


def _lacks(view: View, kind: Value, name: str) -> bool:
    return lookup(view.world, kind, name).status == "missing"


def _read(use: ResultUse, view: View) -> Iterator[str]:
    """Attributes read of the loop's variable, or of a slice of it (which is of the same kind)."""
    module = view.world.consumer.module(view.world.consumer.module_name(use.path))
    if module is None:
        return
    for node in _rounds(view, module).get(_place(use.node), ()):
        for target, body in _loops(node, use.node):
            for inner in body:
                for read in nodes_of(inner):
                    if isinstance(read, ast.Attribute) and _unsliced(read.value) == target:
                        yield read.attr


def _loops(node: ast.AST, iterated: ast.AST) -> Iterator[tuple[str, list[ast.AST]]]:
    match node:
        case ast.For(target=ast.Name(id=name), iter=source, body=body) if _same(source, iterated):
            yield name, list(body)
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.GeneratorExp(elt=part):
            for clause in node.generators:
                if isinstance(clause.target, ast.Name) and _same(clause.iter, iterated):
                    yield clause.target.id, [part, *clause.ifs]


def _same(one: ast.AST, other: ast.AST) -> bool:
    return _place(one) == _place(other)


def _place(node: ast.AST) -> Place:
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    return tuple(getattr(node, name, None) for name in names)


def _unsliced(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
