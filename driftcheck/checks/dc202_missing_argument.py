"""DC202: a call leaves out an argument that the callee requires."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import callee_name, home, problems, sureness
from driftcheck.checks.renamed_parameters import renamed_parameters
from driftcheck.uses import CallUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse):
        return
    confidence, doubt = sureness(use, view)
    for signature, problem in problems(use, view):
        if problem.kind != "missing-argument":
            continue
        # What was passed under the parameter's old name is DC206's to tell.
        passed = {renamed.new.name for renamed in renamed_parameters(use, signature, view).values()}
        missing = [name for name in problem.names if name not in passed]
        if not missing:
            continue
        names = ", ".join(missing)
        plural = "arguments" if len(missing) > 1 else "argument"
        yield Answer(
            "DC202",
            use.path,
            use.span,
            f"{signature.symbol}.{missing[0]}",
            f"{callee_name(use.callee, signature)}() requires the {plural} {names} in {view.version}{doubt}",
            confidence=confidence,
            evidence=home(view, signature),
        )
