"""DC203: a call passes more positional arguments than the callee takes."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import callee_name, home, problems, sureness
from driftcheck.uses import CallUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse):
        return
    confidence, doubt = sureness(use, view)
    for signature, problem in problems(use, view):
        if problem.kind != "too-many-positional":
            continue
        given = len(use.arguments.positional)
        keyword_only = [p.name for p in signature.parameters if p.kind == "keyword"]
        hint = f" ({', '.join(keyword_only[:3])} can only be passed by keyword)" if keyword_only else ""
        yield Answer(
            "DC203",
            use.path,
            use.span,
            signature.symbol,
            f"{callee_name(use.callee, signature)}() takes {problem.count} positional arguments in {view.version}, "
            f"{given} are given{hint}{doubt}",
            confidence=confidence,
            evidence=home(view, signature),
        )
