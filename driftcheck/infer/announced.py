"""Whether a call takes the branch in which a function announces a deprecation."""

from __future__ import annotations

import ast

from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.deprecation import Notice, passed_value
from driftcheck.infer.values import NONE, UNKNOWN, Const, Value, options, truth

Passed = dict[str, Value]


def concerned(function: FunctionDef, notice: Notice, passed: Passed) -> tuple[bool, str | None]:
    """Whether a call that passes these arguments is announced to, and the argument that makes it so."""
    if notice.parameters:
        hit = next((name for name in notice.parameters if name in passed), None)
        return hit is not None, hit
    names = _taken_out(function)
    about: str | None = None
    for test, wanted in notice.tests:
        answer, name = _holds(test, passed, names)
        if answer is not wanted:
            return False, None
        about = name or about
    return about is not None or not notice.tests, about


def _taken_out(function: FunctionDef) -> dict[str, str]:
    """Local variables that hold a keyword taken out of ``**kwargs``."""
    found: dict[str, str] = {}
    try:
        nodes = nodes_of(function.node)
    except SourceFault:
        return found
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(
                    func=ast.Attribute(attr="pop" | "get"), args=[ast.Constant(value=str(key)), *_]
                ),
            ):
                found[name] = key
    return found


def _holds(test: ast.expr, passed: Passed, names: dict[str, str]) -> tuple[bool | None, str | None]:
    """The truth of a test for these arguments (None: not known), and the passed argument it is about."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            answer, name = _holds(operand, passed, names)
            return None if answer is None else not answer, name
        case ast.BoolOp(op=op, values=parts):
            answers = [_holds(part, passed, names) for part in parts]
            decisive = isinstance(op, ast.Or)
            for answer, name in answers:
                if answer is decisive:
                    return decisive, name
            if any(answer is None for answer, _ in answers):
                return None, None
            return not decisive, next((name for _, name in answers if name), None)
        case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In()], comparators=[ast.Name()]):
            return key in passed, key if key in passed else None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(left, op, right, passed, names)
    read = passed_value(passed, names, test)
    if read is None:
        return None, None
    name, value = read
    if value is None:
        return False, None
    return truth(value), name


def _compared(
    left: ast.expr, op: ast.cmpop, right: ast.expr, passed: Passed, names: dict[str, str]
) -> tuple[bool | None, str | None]:
    read = passed_value(passed, names, left)
    if read is None or not isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
        return None, None
    name, value = read
    differs = isinstance(op, (ast.IsNot, ast.NotEq))
    if value is None:
        # What is left out has its default, which is what such a test compares with.
        return (not differs if _is_default(right) else None), None
    if isinstance(right, ast.Constant):
        if isinstance(value, Const):
            return (value.value != right.value) is differs, name
        if right.value is None and value is not UNKNOWN:
            return (None, name) if NONE in options(value) else (differs, name)
        # Whoever passes an argument passes something.
        return (differs, name) if right.value is None else (None, name)
    return (differs, name) if _is_default(right) else (None, name)


def _is_default(node: ast.expr) -> bool:
    """Whether an expression is what stands for an argument that was left out: None or a sentinel."""
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Name) and (
        node.id.isupper() or "unset" in node.id.lower() or "sentinel" in node.id.lower()
    )
