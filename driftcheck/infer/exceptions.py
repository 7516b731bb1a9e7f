"""``try`` and ``with``: which handler runs, and what is caught around a use."""

from __future__ import annotations

import ast

from driftcheck.index.nodes import nodes_of
from driftcheck.infer.expressions import evaluate
from driftcheck.infer.fallbacks import last_resort, reraises
from driftcheck.infer.frame import Env, Frame, Handler, Raised, merge, path_of
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.reporting import only_reports
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Container,
    External,
    Instance,
    Value,
)

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
_FALLBACKS = _IMPORT_ERRORS | {"TypeError", "AttributeError"}
"""Handlers for these alone are what is done where the body does not fit this version."""


def run_try(frame: Frame, node: ast.Try) -> None:
    """Run a ``try``: its body, then the handler that a definite exception finds, or all that may be reached."""
    from driftcheck.infer.statements import execute

    before = dict(frame.env) if frame.env is not None else {}
    around = len(frame.handlers)
    frame.handlers += _handlers(frame, node)
    raised_before = frame.raised
    frame.raised = None
    execute(frame, node.body)
    del frame.handlers[around:]
    raised, frame.raised = frame.raised, raised_before
    after_body = frame.env
    ends: list[Env | None] = []
    if node.orelse and frame.env is not None:
        execute(frame, node.orelse)
    ends.append(frame.env)
    if after_body is None and raised is not None and (handler := _match(node.handlers, raised)):
        frame.env = dict(raised.env)
        _handle(frame, handler)
        ends.append(frame.env)
    else:
        for handler in node.handlers:
            how = _reachable(frame, node, handler)
            if how is None:
                continue
            frame.env = merge([dict(before), dict(after_body) if after_body is not None else None])
            frame.quiet += how == "quiet"
            _handle(frame, handler)
            frame.quiet -= how == "quiet"
            ends.append(frame.env)
        if after_body is None and raised is not None:
            frame.raised = raised
    frame.env = merge(ends)
    if node.finalbody:
        dead = frame.env is None
        if dead:
            frame.env = dict(before)
        execute(frame, node.finalbody)
        if dead:
            frame.env = None


def _handle(frame: Frame, handler: ast.ExceptHandler) -> None:
    from driftcheck.infer.statements import execute

    if handler.type is not None and frame.env is not None:
        evaluate(frame, handler.type)
    if handler.name and frame.env is not None:
        frame.env[handler.name] = UNKNOWN
    execute(frame, handler.body)


def _caught(handler: ast.ExceptHandler) -> frozenset[str]:
    """The exception names that a handler catches, with those that they stand above."""
    if handler.type is None:
        return _ABOVE["BaseException"]
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {(path_of(n) or "").rpartition(".")[2] for n in nodes}
    return frozenset(names).union(*[_ABOVE.get(name, frozenset()) for name in names])


_ALL = frozenset(
    {
        "ImportError",
        "ModuleNotFoundError",
        "AttributeError",
        "TypeError",
        "Exception",
        "ValueError",
        "KeyError",
    }
)
_ABOVE: dict[str, frozenset[str]] = {
    "BaseException": _ALL | {"BaseException"},
    "Exception": _ALL,
    "ImportError": frozenset({"ImportError", "ModuleNotFoundError"}),
}


def _handlers(frame: Frame, node: ast.Try) -> list[Handler]:
    """What a ``try`` catches for good, what only where another library is installed, and what only to report it."""
    for_good = frozenset[str]()
    found: list[Handler] = []
    for handler in node.handlers:
        if reraises(handler):
            continue
        library = last_resort(frame, handler)
        if library:
            found.append(Handler(_caught(handler), library))
        elif _caught(handler) >= _ALL and only_reports(frame, node, handler):
            found.append(Handler(_caught(handler), reports=True))
        else:
            for_good |= _caught(handler)
    return [Handler(for_good), *found]


def _match(handlers: list[ast.ExceptHandler], raised: Raised) -> ast.ExceptHandler | None:
    names = raised.above | {raised.exception}
    return next((handler for handler in handlers if names & _caught(handler)), None)


def builtins_above(frame: Frame, exception: Value) -> frozenset[str]:
    """The exceptions of Python's own that a raised class, or an object of one, derives from."""
    cls = exception.cls if isinstance(exception, Instance) else exception
    if not isinstance(cls, ClassValue):
        return frozenset()
    paths = [base.path for base in mro(frame.world, cls.definition).order if isinstance(base, External)]
    return frozenset(path.removeprefix("builtins.") for path in paths if path.startswith("builtins."))


def _reachable(frame: Frame, node: ast.Try, handler: ast.ExceptHandler) -> str | None:
    """How a handler can be reached although nothing definite was raised: not, quietly, or openly.

    An import handler is a fallback for what the body imports: where those imports hold, what it
    does instead is not asked of this version.
    """
    names = _caught(handler)
    if names and names <= _FALLBACKS and not names <= _IMPORT_ERRORS:
        return "quiet"
    if not names or not names <= _IMPORT_ERRORS:
        return "openly" if not _only_imports(node.body) else _import_reach(frame, node)
    return _import_reach(frame, node)


def _only_imports(body: list[ast.stmt]) -> bool:
    return all(isinstance(s, (ast.Import, ast.ImportFrom)) for s in body)


def _import_reach(frame: Frame, node: ast.Try) -> str | None:
    own = foreign = False
    for statement in node.body:
        for inner in nodes_of(statement):
            if isinstance(inner, ast.Import):
                names = [alias.name for alias in inner.names]
            elif isinstance(inner, ast.ImportFrom):
                names = [frame.scope.module.absolute(inner.module, inner.level) or ""]
            else:
                continue
            for name in names:
                index = frame.world.index_of(name)
                own |= index is not None
                foreign |= index is None or frame.world.imported(name) is UNKNOWN
    if own and not foreign:
        return None
    return "quiet" if own else "openly"


def run_with(frame: Frame, node: ast.With | ast.AsyncWith) -> None:
    """Run a ``with``; ``suppress`` and the like are handlers."""
    from driftcheck.infer.statements import bind_target, execute

    suppressed: frozenset[str] = frozenset()
    for item in node.items:
        value = evaluate(frame, item.context_expr)
        suppressed |= _suppresses(frame, item.context_expr)
        if item.optional_vars is not None:
            bind_target(frame, item.optional_vars, _entered(frame, value))
    before = dict(frame.env) if frame.env is not None else {}
    if suppressed:
        frame.handlers.append(Handler(suppressed))
    raised_before, frame.raised = frame.raised, None
    execute(frame, node.body)
    if suppressed:
        frame.handlers.pop()
        if frame.env is None and frame.raised is not None and frame.raised.exception in suppressed:
            frame.env = dict(frame.raised.env)
            frame.raised = raised_before
            return
        frame.env = merge([frame.env, before])
    if frame.raised is None:
        frame.raised = raised_before


def _suppresses(frame: Frame, node: ast.expr) -> frozenset[str]:
    if not isinstance(node, ast.Call):
        return frozenset()
    callee = evaluate(frame, node.func)
    if not isinstance(callee, External) or callee.path not in ("contextlib.suppress", "pytest.raises"):
        return frozenset()
    handler = ast.ExceptHandler(ast.Tuple(list(node.args)) if node.args else None, None, [ast.Pass()])
    return _caught(handler)


def _entered(frame: Frame, value: Value) -> Value:
    from driftcheck.infer.attributes import lookup
    from driftcheck.infer.callables import return_value
    from driftcheck.infer.values import ClassValue, FunctionValue

    if isinstance(value, Container) and value.kind == "context":
        return value.element
    if isinstance(value, Instance) and isinstance(value.cls, ClassValue):
        for name in ("__enter__", "__aenter__"):
            found = lookup(frame.world, value, name).value
            if isinstance(found, FunctionValue):
                result = return_value(frame.world, found, None)
                return result if result is not UNKNOWN else UNKNOWN
    return UNKNOWN
