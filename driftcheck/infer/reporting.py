"""Handlers that catch whatever there is only to report it: the code around them fails all the same."""

from __future__ import annotations

import ast
import re

from driftcheck.index.nodes import children_of, nodes_of
from driftcheck.infer.frame import Frame, path_of

_LOG = re.compile(r"_*(?:\w+_)?log(?:ger|ging)?", re.IGNORECASE)
_AS_ERROR = frozenset({"error", "exception", "critical", "fatal"})
_PRINTS = frozenset({"traceback.print_exc", "traceback.print_exception"})
_EXITS = frozenset({"sys.exit", "os._exit", "exit"})
_WAYS_ON = (ast.Return, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)
"""With one of these in its body what follows a ``try`` may be what is done after a failure alone."""


def only_reports(frame: Frame, node: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether a handler tells of an error (and may hand it on or leave the program) and does nothing instead.

    Only where nothing after the ``try`` can tell whether it failed: the body leaves no name, attribute or
    item behind that is asked for elsewhere, and there is no ``else``. An optional part of a module
    (a ``try`` outside functions) is left alone as well.
    """
    function = frame.scope.function
    return function is not None and _reports(handler) and not _leaves_traces(node, function.node)


def _reports(handler: ast.ExceptHandler) -> bool:
    told = False
    failure = {handler.name} - {None}
    for statement in handler.body:
        match statement:
            case ast.Expr(value=ast.Call() as call):
                path = path_of(call.func) or ""
                told |= _tells(path)
                if not _tells(path) and path not in _EXITS and not _mentions(call, failure):
                    return False
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _mentions(value, failure):
                failure.add(name)
            case _:
                return False
    return told


def _tells(path: str) -> bool:
    """Whether a call of this name tells of an error as one: to a log, or with its traceback."""
    receiver, _, method = path.rpartition(".")
    return path in _PRINTS or (
        method in _AS_ERROR and _LOG.fullmatch(receiver.rpartition(".")[2]) is not None
    )


def _mentions(node: ast.AST, names: set[str | None]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in nodes_of(node))


def _leaves_traces(node: ast.Try, function: ast.AST) -> bool:
    """Whether what follows may depend on how far the body of a ``try`` came."""
    if node.orelse:
        return True
    bound: set[str] = set()
    for inner in [below for statement in node.body for below in nodes_of(statement)]:
        if isinstance(inner, _WAYS_ON):
            return True
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            bound.add(inner.id)
        elif isinstance(inner, (ast.Attribute, ast.Subscript)) and not isinstance(inner.ctx, ast.Load):
            return True
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            bound |= {alias.asname or alias.name.partition(".")[0] for alias in inner.names}
    return not bound.isdisjoint(_asked_for(function, node))


def _asked_for(node: ast.AST, without: ast.Try) -> set[str]:
    """The names in a function's code but for one ``try``; what functions inside call their parameters is theirs."""
    found: set[str] = set()
    for child in children_of(node):
        if child is without:
            continue
        inner = _asked_for(child, without)
        match child:
            case ast.Name(id=name):
                inner.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                inner.update(names)
            case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args) | ast.Lambda(args=args):
                inner -= {one.arg for one in nodes_of(args) if isinstance(one, ast.arg)}
        found |= inner
    return found
