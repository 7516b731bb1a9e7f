"""What stands behind a test of the provider's version that could not be worked out."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from driftcheck.checks.answer import Answer, View
from driftcheck.index.module import Module
from driftcheck.index.nodes import children_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.versioned import Chain, rests_on_version
from driftcheck.uses import Use

_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
MAX_TESTS = 200
"""Of a place with more tests around it nobody wrote, whether it runs is not worked out."""
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def doubted(answer: Answer, use: Use, view: View) -> Answer:
    """The answer, no more than possible where only such a test decides whether its place runs at all."""
    if answer.confidence == "possible" or not _is_in_doubt(use, view):
        return answer
    message = f"{answer.message}, if it runs at all: a test of the version around it could not be worked out"
    return replace(answer, confidence="possible", message=message)


def _is_in_doubt(use: Use, view: View) -> bool:
    world = view.world
    line, column = use.place[1:] if hasattr(use.node, "lineno") else (0, 0)
    key = ("version-doubt", use.path, line, column)
    if key not in world.cache:
        world.cache[key] = False
        is_open = line and use.path in _paths_with_open_tests(view)
        module = world.consumer.module(world.consumer.module_name(use.path)) if is_open else None
        if module is not None and module.path == use.path:
            tests = list(islice(_tests_around(module, line, column), MAX_TESTS + 1))
            world.cache[key] = len(tests) > MAX_TESTS or any(
                (use.path, test.lineno, test.col_offset) in view.uses.open_tests
                and _rests(view, module, test, scopes)
                for test, scopes in tests
            )
    return world.cache[key]


def _paths_with_open_tests(view: View) -> frozenset[str]:
    cache = view.world.cache
    key = "paths-with-open-tests", len(view.uses.open_tests)
    if key not in cache:
        cache[key] = frozenset(path for path, *_ in view.uses.open_tests)
    return cache[key]


def _rests(view: View, module: Module, test: ast.expr, scopes: Chain) -> bool:
    """``rests_on_version``, worked out once a test: of a long condition every part asks for all before it."""
    cache = view.world.cache
    key = "rests-on-version", module.path, test.lineno, test.col_offset
    if key not in cache:
        cache[key] = rests_on_version(view.world, module, test, scopes)
    return cache[key]


def _tests_around(module: Module, line: int, column: int) -> Iterator[tuple[ast.expr, Chain]]:
    """The tests that decide whether a place of the module runs, each with the scopes that it stands in."""
    try:
        at: ast.AST | None = module.source.tree
    except SourceFault:
        return
    scopes: Chain = ()
    while at is not None:
        if isinstance(at, _SCOPES):
            scopes = (*scopes, at)
        below = next((c for c in _candidates(at, line, column) if _holds(c, line, column)), None)
        if below is None:
            return
        if isinstance(at, (ast.If, ast.IfExp, ast.While)) and below is not at.test:
            yield at.test, scopes
        elif isinstance(at, ast.BoolOp):
            yield from ((part, scopes) for part in at.values[: at.values.index(below)])  # type: ignore[arg-type]
        elif isinstance(below, ast.stmt):
            yield from ((test, scopes) for test in _left_by(at, below))
        if isinstance(below, ast.stmt) and isinstance(at, ast.If):
            yield from ((test, scopes) for test in _left_by(at, below))
        at = below


def _candidates(at: ast.AST, line: int, column: int) -> list[ast.AST]:
    """The nodes just below one that may stand around a place; of long rows in order only those near it."""
    row = at.body if isinstance(at, ast.Module) else at.values if isinstance(at, ast.BoolOp) else ()
    if len(row) < 30:
        return children_of(at)
    end = bisect_right(row, (line, column), key=lambda node: (node.lineno, node.col_offset))
    return [
        *row[max(end - 1, 0) : end + 1]
    ]  # a decorator stands before the line that its definition counts from


def _left_by(block: ast.AST, statement: ast.stmt) -> Iterator[ast.expr]:
    """The tests before a statement of a block, one way of which leaves the block."""
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(block, name, ())
        if isinstance(suite, list) and statement in suite:
            for before in suite[: suite.index(statement)]:
                match before:
                    case ast.Assert(test=test):
                        yield test
                    case ast.If(body=body, orelse=orelse) if any(
                        suite and isinstance(suite[-1], _LEAVES) for suite in (body, orelse)
                    ):
                        yield before.test


def _holds(node: ast.AST, line: int, column: int) -> bool:
    """Whether a node, or what is below one without a place of its own, stands around a place."""
    first = getattr(node, "lineno", None)
    if first is None:
        return any(_holds(child, line, column) for child in children_of(node))
    first = min([first, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return (first, node.col_offset) <= (line, column) <= (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
