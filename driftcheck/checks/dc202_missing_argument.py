"""DC202: a call leaves out an argument that the callee requires."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import callee_name, home, problems
from driftcheck.uses import CallUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse):
        return
    for signature, problem in problems(use, view):
        if problem.kind != "missing-argument":
            continue
        names = ", ".join(problem.names)
        plural = "arguments" if len(problem.names) > 1 else "argument"
        yield Answer(
            "DC202",
            use.path,
            use.span,
            f"{signature.symbol}.{problem.names[0]}",
            f"{callee_name(use.callee, signature)}() requires the {plural} {names} in {view.version}",
            evidence=home(view, signature),
        )
