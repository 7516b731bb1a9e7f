"""Where a tree mentions a name: byte search first, then only those statements are parsed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from driftcheck.index.module import Module
from driftcheck.index.outline import Item
from driftcheck.index.source import SourceFault
from driftcheck.index.tree_index import Index


@dataclass(frozen=True)
class Occurrence:
    """One mention: the node, the statement and definition it is in, and the tests it stands under.

    ``role``: ``store`` (assigned; ``value`` is what), ``branch`` (decides one), ``call``, or ``read``.
    ``cls`` is the innermost class around it by name, ``receiver`` how the object before the dot reads.
    """

    module: Module
    node: ast.expr
    line: int
    inside: str
    cls: str
    receiver: str
    conditions: tuple[str, ...]
    role: str
    value: ast.expr | None = None
    call: ast.Call | None = None


def occurrences(
    index: Index,
    name: str,
    attributes_only: bool = True,
    called: bool = False,
    may_be: Callable[[Module, int], bool] = lambda module, at: True,
) -> Iterator[Occurrence]:
    """Every ``x.name`` of the tree in files that mention it, and plain ``name`` where asked for.

    ``called``: statements in which no call of the name stands may be passed over; ``may_be``: those may in
    which it is said of no mention, by the offset where that begins, that it may be meant.
    """
    dot = r"\.\s*" if attributes_only else r"\b"
    pattern = re.compile(dot + re.escape(name) + (r"\s*\(" if called else r"\b"))
    for path in index.files_mentioning(name):
        module = index.module(index.module_name(path))
        if module is None:
            continue
        found = (match.start() for match in pattern.finditer(module.source.blank))
        hits = [at for at in found if may_be(module, at)]
        for item in _items_with(module, hits):
            try:
                statement = module.source.parse(item)
            except (SourceFault, IndexError):
                continue
            yield from _Visitor(module, name, attributes_only).found_in(statement)


def _items_with(module: Module, hits: list[int]) -> Iterator[Item]:
    at = 0
    for item in module.source.items:
        while at < len(hits) and hits[at] < item.start:
            at += 1
        if at < len(hits) and hits[at] < item.end:
            yield item


class _Visitor(ast.NodeVisitor):
    """Walks one top-level statement and keeps what is around each mention."""

    def __init__(self, module: Module, name: str, attributes_only: bool) -> None:
        self.module = module
        self.name = name
        self.attributes_only = attributes_only
        self.found: list[Occurrence] = []
        self.inside: list[str] = []
        self.classes: list[str] = []
        self.conditions: list[str] = []
        self.testing = 0
        self.call: ast.Call | None = None

    def found_in(self, statement: ast.stmt) -> list[Occurrence]:
        self.visit(statement)
        return self.found

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.inside.append(node.name)
        self.classes.append(node.name)
        self.generic_visit(node)
        self.classes.pop()
        self.inside.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.inside.append(node.name)
        kept, self.conditions = self.conditions, []
        self.generic_visit(node)
        self.conditions = kept
        self.inside.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node: ast.If) -> None:
        self._test(node.test)
        text = ast.unparse(node.test)
        self._under(text, node.body)
        self._under(f"not ({text})", node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self._test(node.test)
        self._under(ast.unparse(node.test), node.body)
        self._under("", node.orelse)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._test(node.test)
        self.visit(node.body)
        self.visit(node.orelse)

    def visit_Assert(self, node: ast.Assert) -> None:
        self._test(node.test)

    def visit_Call(self, node: ast.Call) -> None:
        before, self.call = self.call, node
        self.visit(node.func)
        self.call = before
        for part in (*node.args, *node.keywords):
            self.visit(part)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._target(target, node.value)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._target(node.target, node.value)
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._target(node.target, node.value)
        self.visit(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == self.name:
            self._keep(node, ast.unparse(node.value), None)
        call, self.call = self.call, None
        self.visit(node.value)
        self.call = call

    def visit_Name(self, node: ast.Name) -> None:
        if not self.attributes_only and node.id == self.name:
            self._keep(node, "", None)

    def _target(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Attribute) and target.attr == self.name:
            self._keep(target, ast.unparse(target.value), value)
            self.visit(target.value)
        elif not isinstance(target, ast.Name):
            self.visit(target)

    def _test(self, test: ast.expr) -> None:
        self.testing += 1
        self.visit(test)
        self.testing -= 1

    def _under(self, condition: str, body: list[ast.stmt]) -> None:
        self.conditions.append(condition)
        for statement in body:
            self.visit(statement)
        self.conditions.pop()

    def _keep(self, node: ast.expr, receiver: str, value: ast.expr | None) -> None:
        called = self.call is not None and self.call.func is node
        role = "store" if value is not None else "call" if called else "branch" if self.testing else "read"
        self.found.append(
            Occurrence(
                self.module,
                node,
                node.end_lineno or node.lineno,
                ".".join([self.module.name, *self.inside]),
                self.classes[-1] if self.classes else "",
                receiver,
                tuple(condition for condition in self.conditions if condition),
                role,
                value,
                self.call if called else None,
            )
        )
