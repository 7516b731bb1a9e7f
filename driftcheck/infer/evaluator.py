"""Evaluating single expressions of a module or class body, outside any interpretation."""

from __future__ import annotations

import ast

from driftcheck.infer.expressions import evaluate
from driftcheck.infer.frame import Frame, Sink
from driftcheck.infer.values import NONE, UNKNOWN, Scope, Value
from driftcheck.infer.world import World

__all__ = ["Evaluator", "Sink", "assigned_value"]


class Evaluator:
    """Evaluates expressions as they would read in a scope, hearing nothing of the uses."""

    def __init__(self, world: World, scope: Scope) -> None:
        self.frame = Frame(world, scope, dict(scope.env))

    def eval(self, node: ast.expr) -> Value:
        """The value of an expression; unknown where inference recurses into itself."""
        with self.frame.world.guarded(("eval", id(node))) as free:
            return evaluate(self.frame, node) if free else UNKNOWN


def assigned_value(world: World, scope: Scope, statement: ast.stmt, name: str) -> Value:
    """What an assignment statement binds ``name`` to."""
    from driftcheck.infer.annotations import annotated

    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return Evaluator(world, scope).eval(value)
        case ast.AnnAssign(annotation=annotation, value=value):
            said = annotated(world, scope.module, annotation)
            if value is None:
                return said
            inferred = Evaluator(world, scope).eval(value)
            # Where the annotation says what else the variable may hold, None is only what it starts with.
            starts = inferred == NONE and said is not UNKNOWN
            return said if inferred is UNKNOWN or starts else inferred
    return UNKNOWN
