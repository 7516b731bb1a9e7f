"""Calls of a name that is None on this version, because the import it should come from failed in a guard."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from driftcheck.infer.frame import Frame
from driftcheck.infer.straight import straight_calls
from driftcheck.infer.values import NONE, Missing, Value
from driftcheck.model import Span
from driftcheck.uses.use import ImportUse, Use

_CATCHES = frozenset({"TypeError"})
_GUARDS = frozenset({"ImportError", "ModuleNotFoundError"})


@dataclass(frozen=True, slots=True)
class NoneCallUse(Use):
    """The call; ``function`` is the one that makes it on every way through, empty at the top of a module."""

    imported: ImportUse
    local: str
    callee: Span
    function: str

    @property
    def key(self) -> tuple[str, str, Span]:
        return ("CallUse", self.path, self.span)


def none_call(
    frame: Frame, node: ast.Call, callee: Value, uses: Iterable[Use], caught: frozenset[str]
) -> NoneCallUse | None:
    """The use, where nothing but None is called by a name that a failed import of this file should bind.

    A call under a condition is left out: the condition may ask for the same in other words.
    """
    if callee != NONE or not isinstance(node.func, ast.Name) or caught & _CATCHES:
        return None
    source, local = frame.scope.module.source, node.func.id
    failed = next((one for one in uses if _failed(one, source.path, local)), None)
    if not isinstance(failed, ImportUse):
        return None
    function = frame.scope.function
    calls = straight_calls(_body(frame, source.tree) if function is None else function.node)
    if source.span(node) not in {source.span(call) for call in calls}:
        return None
    name = "" if function is None else function.name
    return NoneCallUse(
        source.path, source.span(node), node, caught, failed, local, source.span(node.func), name
    )


def _body(frame: Frame, tree: ast.Module) -> ast.FunctionDef:
    """The top level of a module in the form of a function's body."""
    nobody = ast.arguments([], [], None, [], [], None, [])
    return ast.FunctionDef("", nobody, tree.body, [], None, None)


def _failed(use: Use, path: str, local: str) -> bool:
    """Whether a use is an import that fails where that is caught, and that would bind the name."""
    if not isinstance(use, ImportUse) or use.path != path or not isinstance(use.value, Missing):
        return False
    names = use.node.names if isinstance(use.node, ast.Import | ast.ImportFrom) else []
    wanted = use.name or use.module
    return bool(use.caught & _GUARDS) and any(
        (n.asname or n.name) == local for n in names if n.name == wanted
    )
