"""One function: its header without its body, its parameters, and its body when asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal

from driftcheck.index.nodes import children_of, nodes_of, statements_of
from driftcheck.index.outline import Item

if TYPE_CHECKING:
    from driftcheck.index.classes import ClassDef
    from driftcheck.index.module import Module
    from driftcheck.index.source import Source

ParameterKind = Literal["positional", "ordinary", "var_positional", "keyword", "var_keyword"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a signature; ``default`` and ``annotation`` are expressions or None."""

    name: str
    kind: ParameterKind
    default: ast.expr | None = None
    annotation: ast.expr | None = None
    has_default: bool = False
    line: int = 0

    @property
    def required(self) -> bool:
        return not self.has_default and self.kind in ("positional", "ordinary", "keyword")


def parameters(arguments: ast.arguments) -> tuple[Parameter, ...]:
    """The parameters that an argument list declares, in order."""
    found: list[Parameter] = []
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(
        arguments.defaults
    )
    for number, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        kind: ParameterKind = "positional" if number < len(arguments.posonlyargs) else "ordinary"
        found.append(
            Parameter(argument.arg, kind, default, argument.annotation, default is not None, argument.lineno)
        )
    if arguments.vararg:
        vararg = arguments.vararg
        found.append(Parameter(vararg.arg, "var_positional", None, vararg.annotation, line=vararg.lineno))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(
            Parameter(
                argument.arg, "keyword", default, argument.annotation, default is not None, argument.lineno
            )
        )
    if arguments.kwarg:
        kwarg = arguments.kwarg
        found.append(Parameter(kwarg.arg, "var_keyword", None, kwarg.annotation, line=kwarg.lineno))
    return tuple(found)


class FunctionDef:
    """A ``def`` found in an outline; ``owner`` is the class whose body holds it, if one does."""

    def __init__(self, module: Module, item: Item, owner: ClassDef | None = None) -> None:
        self.module = module
        self.item = item
        self.owner = owner
        self.name = item.name or "<lambda>"

    def __repr__(self) -> str:
        return f"<FunctionDef {self.qualname}>"

    @property
    def qualname(self) -> str:
        prefix = self.owner.qualname if self.owner else self.module.name
        return f"{prefix}.{self.name}"

    @cached_property
    def line(self) -> int:
        return self.header.lineno

    @cached_property
    def header(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """Decorators, name, parameters and return annotation; the body means nothing; raises SourceFault."""
        if "node" in self.__dict__:
            return self.node
        piece = Item(
            "def", self.name, self.item.start, self.item.header_end(), self.item.indent, self.item.blank
        )
        source = self.module.source
        text = source.text
        parsed = _parse_header(source, piece, text)
        assert isinstance(parsed, (ast.FunctionDef, ast.AsyncFunctionDef))
        return parsed

    @cached_property
    def node(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """The whole definition parsed; raises SourceFault."""
        parsed = self.module.source.parse(self.item)
        assert isinstance(parsed, (ast.FunctionDef, ast.AsyncFunctionDef))
        return parsed

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the definition, breadth first; raises SourceFault."""
        return nodes_of(self.node)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """Every statement of the definition, breadth first; raises SourceFault."""
        return statements_of(self.node)

    @cached_property
    def own_nodes(self) -> list[ast.AST]:
        """The nodes that belong to the function rather than to one inside it; raises SourceFault."""
        return list(own_nodes(self.node))

    @cached_property
    def text(self) -> str:
        return self.module.source.text[self.item.start : self.item.end]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters(self.header.args)

    @property
    def is_async(self) -> bool:
        return isinstance(self.header, ast.AsyncFunctionDef)

    @cached_property
    def decorators(self) -> list[ast.expr]:
        return self.header.decorator_list

    def assigns(self, name: str) -> bool:
        """Whether the function stores ``name`` on its first parameter; parsed only where the text allows it."""
        text = self.text
        return name in text and _storing(name).search(text) is not None and name in self.assigned_attributes

    @cached_property
    def assigned_attributes(self) -> frozenset[str]:
        """Names stored on the first parameter; a body that cannot be parsed stores nothing known."""
        from driftcheck.index.source import SourceFault

        try:
            return frozenset(_assigned_attributes(self))
        except (SourceFault, AssertionError, IndexError):
            return frozenset()

    @cached_property
    def is_generator(self) -> bool:
        if "yield" not in self.text:
            return False
        return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes(self.node))


@lru_cache(4096)
def _storing(name: str) -> re.Pattern[str]:
    """What the text of every statement has that stores an attribute: as a target, or by its name in quotes."""
    word = re.escape(name)
    after = r"\s*(?:[,)\]:=]|in\b|(?:[-+*/|&^%@]|//|\*\*|<<|>>)=)"
    return re.compile(rf"{word}(?<!\w{word})(?:{after}|[\"'])")


def _assigned_attributes(function: FunctionDef) -> set[str]:
    """Names stored on the function's first parameter: plain, in targets, by ``setattr`` with a literal."""
    arguments = [*function.node.args.posonlyargs, *function.node.args.args]
    if not arguments:
        return set()
    receiver = arguments[0].arg
    found: set[str] = set()
    nodes: Iterable[ast.AST] = function.nodes
    if "setattr" not in (text := function.text) and f"for {receiver}." not in text:
        # Then it is statements alone that store: a comprehension can too, and calls can by name.
        nodes = (node for statement in function.statements for node in _targets(statement))
    for node in nodes:
        # Asked of every node of every method looked at: the class first, since it decides nearly always.
        if node.__class__ is ast.Attribute:
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr, ctx=ast.Store()) if name == receiver:
                    found.add(attr)
        elif node.__class__ is ast.Call:
            match node:
                case ast.Call(
                    func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"),
                    args=[ast.Name(id=name), ast.Constant(value=str(attr)), *_],
                ) if name == receiver:
                    found.add(attr)
                case ast.Call(
                    func=ast.Attribute(attr="__setattr__"), args=[ast.Constant(value=str(attr)), _]
                ):
                    found.add(attr)
    return found


def _targets(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of what a statement binds or changes."""
    match statement:
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            targets = [target]
        case ast.For(target=target) | ast.AsyncFor(target=target):
            targets = [target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            targets = [item.optional_vars for item in items if item.optional_vars is not None]
        case _:
            targets = []
    for target in targets:
        yield from nodes_of(target)


def only_stores(function: FunctionDef) -> bool:
    """Whether a ``def`` is what a property does when it is assigned or deleted."""
    from driftcheck.index.source import SourceFault

    try:
        decorators = function.decorators
    except SourceFault:
        return False
    return any(isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in decorators)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body that belong to it rather than to a nested function or class."""
    pending = children_of(function)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            pending.extend(children_of(node))


def _parse_header(source: Source, piece: Item, text: str) -> ast.stmt:
    first = source.line_at(piece.start)
    body = text[piece.start : piece.end]
    if piece.indent:
        wrapped = (
            "\n" * max(first - 2, 0) + ("if 1:\n" if first > 1 else "if 1:") + piece.indent + body + " pass"
        )
        block = source.parsed(wrapped).body[0]
        assert isinstance(block, ast.If)
        return block.body[0]
    return source.parsed("\n" * (first - 1) + body + " pass").body[0]
