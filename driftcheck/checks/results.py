"""What the checks of results share: the two values of one use, and how a message names the call."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import View
from driftcheck.infer.values import FunctionValue, options
from driftcheck.model import Evidence
from driftcheck.uses import Use
from driftcheck.uses.results import ResultUse


def pair(target: Use, known_good: Use, before: View) -> tuple[ResultUse, ResultUse] | None:
    """Both uses, where the call's result differs between the versions whatever the context it ran in."""
    if not isinstance(target, ResultUse) or not isinstance(known_good, ResultUse) or target.origin is None:
        return None
    if any(
        isinstance(other, ResultUse) and other.value == target.value
        for other in before.uses.by_key[target.key]
    ):
        return None
    return target, known_good


def call_name(use: ResultUse) -> str:
    """The call as a message names it."""
    assert use.origin is not None
    parts = use.origin.symbol.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]


def call_home(use: ResultUse, view: View) -> tuple[Evidence, ...]:
    """Where the function that gives the result is defined on the view's version."""
    return tuple(_homes(use, view))[:1]


def _homes(use: ResultUse, view: View) -> Iterable[Evidence]:
    assert use.origin is not None
    for option in options(use.origin.callee):
        if isinstance(option, FunctionValue) and view.world.is_provider(option.definition.module):
            yield view.evidence(option.definition.module, option.definition.line)


def targets(node: ast.AST) -> int | None:
    """How many values an unpacking takes; None with a starred target."""
    if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return len(node.elts)
    return None
