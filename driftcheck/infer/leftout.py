"""Which attributes of an object stay empty because its constructor was not given what fills them."""

from __future__ import annotations

import ast

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.constructors import field_style, fields_of
from driftcheck.infer.states import is_empty, method_of
from driftcheck.infer.world import World


def stays_empty(world: World, cls: ClassDef, attribute: str, given: set[str] | None) -> str | None:
    """The parameter whose absence leaves ``attribute`` empty; None where it is filled or that is not known.

    ``given``: the parameters that the call passes, None where they are not known.
    """
    if given is None:
        return None
    constructor = method_of(world, cls, "__init__")
    if constructor is not None:
        return _by_init(constructor, attribute, given)
    if field_style(world, cls) is not None:
        for field in fields_of(world, cls):
            if field.name == attribute and field.default is not None and not field.factory:
                return attribute if attribute not in given and is_empty(field.default) else None
    return None


def _by_init(constructor: FunctionDef, attribute: str, given: set[str]) -> str | None:
    try:
        node = constructor.node
    except (SourceFault, AssertionError, IndexError):
        return None
    absent = {
        p.name
        for p in constructor.parameters
        if p.name not in given and p.default is not None and is_empty(p.default)
    }
    reader = _Reader(attribute, absent)
    reader.block(node.body)
    return reader.because if reader.empty else None


class _Reader:
    """Follows what a constructor assigns to one attribute where some parameters are absent."""

    def __init__(self, attribute: str, absent: set[str]) -> None:
        self.attribute = attribute
        self.absent = absent
        self.empty = False
        self.because: str | None = None

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.If(test=test, body=then, orelse=orelse):
                    answer = self.test(test)
                    if answer is not False:
                        self.block(then)
                    if answer is not True:
                        self.block(orelse)
                case ast.Assign(targets=[target], value=value) if self._is_target(target):
                    self.empty = self._gives_empty(value)
                case ast.AnnAssign(target=target, value=ast.expr() as value) if self._is_target(target):
                    self.empty = self._gives_empty(value)
                case ast.With(body=inner) | ast.For(body=inner) | ast.While(body=inner) | ast.Try(body=inner):
                    self.block(inner)

    def _is_target(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Attribute) and target.attr == self.attribute

    def _gives_empty(self, value: ast.expr) -> bool:
        match value:
            case ast.Name(id=name) if name in self.absent:
                self.because = name
                return True
            case ast.IfExp(test=test, body=body, orelse=orelse):
                answer = self.test(test)
                return answer is not None and self._gives_empty(body if answer else orelse)
            case ast.BoolOp(op=ast.Or(), values=values):
                return all(self._gives_empty(v) for v in values)
        return is_empty(value)

    def test(self, test: ast.expr) -> bool | None:
        """A test about an absent parameter, with the default that it then has."""
        match test:
            case ast.Name(id=name) if name in self.absent:
                self.because = name
                return False
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.test(operand)
                return None if inner is None else not inner
            case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]):
                if name in self.absent and isinstance(op, (ast.Is, ast.IsNot)):
                    self.because = name
                    return isinstance(op, ast.Is)
        return None
