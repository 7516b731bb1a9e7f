"""DC206: a call passes a keyword whose parameter has another name now."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import callee_name, home, problems
from driftcheck.checks.renamed_parameters import renamed_parameters
from driftcheck.uses import CallUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse) or view.before is None:
        return
    for signature, problem in problems(use, view):
        if problem.kind != "unknown-keyword" or problem.node is None:
            continue
        keyword = problem.names[0]
        renamed = renamed_parameters(use, signature, view).get(keyword)
        module = view.world.consumer.module(view.world.consumer.module_name(use.path))
        if renamed is None or module is None:
            continue
        name = callee_name(use.callee, signature)
        ignored = " and ignores it silently" if signature.silent_extra else ""
        meaning = ", which says the opposite" if renamed.opposite else f" ({renamed.reason})"
        yield Answer(
            "DC206",
            use.path,
            module.source.span(problem.node),
            f"{signature.symbol}.{keyword}",
            f"{name}() does not take {keyword} in {view.version}{ignored}; "
            f"in its place is {renamed.new.name}{meaning}",
            subject=keyword,
            severity="warning" if signature.silent_extra else None,
            evidence=home(view, signature),
            replacement="" if renamed.opposite else renamed.new.name,
        )
