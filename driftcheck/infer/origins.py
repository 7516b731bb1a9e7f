"""Which call a value is the unchanged result of, so that a difference can be told at its first use."""

from __future__ import annotations

import ast

from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.values import FunctionValue, Origin, Value, options


def origin_of(frame: Frame, node: ast.expr) -> Origin | None:
    """The call whose result an expression gives untouched (a target: what is unpacked into it), or None."""
    match node:
        case ast.Call() | ast.Tuple() | ast.List():
            return frame.origins.get(id(node))
        case ast.NamedExpr(value=value):
            return origin_of(frame, value)
        case ast.Await(value=value):
            return origin_of(frame, value)
        case ast.Name() | ast.Attribute():
            path = path_of(node)
            found = frame.env.get("@" + path) if path is not None and frame.env is not None else None
            return found if isinstance(found, Origin) else None
    return None


def note_call(frame: Frame, node: ast.Call, callee: Value) -> None:
    """Remember what a call calls, for those who use its result."""
    functions = [option for option in options(callee) if isinstance(option, FunctionValue)]
    if functions and len(functions) == len(options(callee)):
        frame.origins[id(node)] = Origin(functions[0].definition.qualname, callee)


def note_assignment(frame: Frame, path: str, source: ast.expr | None) -> None:
    """Keep the origin of what is assigned to a variable or attribute, and drop the old one."""
    if frame.env is None:
        return
    origin = origin_of(frame, source) if source is not None else None
    if origin is not None:
        frame.env["@" + path] = origin
    else:
        frame.env.pop("@" + path, None)
