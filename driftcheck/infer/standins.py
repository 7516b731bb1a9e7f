"""What a consumer puts in the place of the provider's names where the provider is not installed."""

from __future__ import annotations

import ast

from driftcheck.infer.frame import Env, Frame
from driftcheck.infer.values import UNKNOWN


def with_provider(frame: Frame, node: ast.If, taken: Env | None, other: Env | None) -> None:
    """After an ``if`` that nothing decides: names that one branch alone takes from the provider are those.

    Such a test asks whether the provider is there, and on every version asked about it is; what the
    other branch binds (a mock, None) only stands in for it.
    """
    if taken is None or other is None:
        return
    first, second = _imported(frame, node.body), _imported(frame, node.orelse)
    if bool(first) is bool(second):
        return
    source, target = (taken, other) if first else (other, taken)
    for name in first | second:
        value = source.get(name, UNKNOWN)
        if name in target and value is not UNKNOWN:
            target[name] = value


def _imported(frame: Frame, body: list[ast.stmt]) -> set[str]:
    """The names that the statements of a branch import from the provider."""
    world = frame.world
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            module = frame.scope.module.absolute(statement.module, statement.level)
            if module is not None and world.index_of(module) is world.provider:
                found |= {alias.asname or alias.name for alias in statement.names}
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                if world.index_of(alias.name) is world.provider:
                    found.add(alias.asname or alias.name.split(".")[0])
    return found
