"""What breaks where a handler catches whatever there is and only reports it: a warning, no error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from driftcheck.checks.answer import Answer
from driftcheck.uses import Use
from driftcheck.uses.collect import REPORTED


def with_reports(check: Callable[..., Iterable[Answer]], use: Use, *others: object) -> Iterator[Answer]:
    """What a check says of a use; what it would not say if the exceptions were caught for good, as a warning."""
    reported = frozenset(n.removeprefix(REPORTED) for n in use.caught if n.startswith(REPORTED))
    if not reported:
        yield from check(use, *others)
        return
    answers = list(check(use, *others))
    silent = (
        {one.key for one in check(replace(use, caught=use.caught | reported), *others)} if answers else set()
    )
    for answer in answers:
        yield answer if answer.key in silent else _softened(answer)


def _softened(answer: Answer) -> Answer:
    return replace(
        answer,
        severity="warning",
        confidence="likely" if answer.confidence == "certain" else "possible",
        message=f"{answer.message}; assuming that the handler around it, which only reports what it catches, "
        "does not make up for it",
    )
