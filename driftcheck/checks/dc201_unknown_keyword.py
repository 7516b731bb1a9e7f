"""DC201: a call passes a keyword that the callee does not take."""

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
        if problem.kind != "unknown-keyword" or problem.node is None:
            continue
        keyword = problem.names[0]
        name = callee_name(use.callee, signature)
        if signature.silent_extra:
            message = f"{name}() does not take {keyword} in {view.version} and ignores it silently"
        else:
            message = f"{name}() does not take the keyword {keyword} in {view.version}"
        module = view.world.consumer.module(view.world.consumer.module_name(use.path))
        assert module is not None
        yield Answer(
            "DC201",
            use.path,
            module.source.span(problem.node),
            f"{signature.symbol}.{keyword}",
            message + doubt,
            subject=keyword,
            confidence=confidence,
            severity="warning" if signature.silent_extra else None,
            evidence=home(view, signature),
        )
