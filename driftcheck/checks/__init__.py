"""One file a check: each answers, for one version, whether a use holds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from driftcheck.checks.answer import Answer, Check, PairCheck, View
from driftcheck.checks.reported import with_reports
from driftcheck.checks.version_doubt import doubted
from driftcheck.uses import Use

__all__ = ["Answer", "View", "evaluate", "evaluate_pair"]


@cache
def _checks() -> tuple[tuple[Check, ...], tuple[PairCheck, ...]]:
    """Every check, found by listing this package: those of one version, and those of two."""
    names = sorted(m.name for m in iter_modules(__path__) if m.name.startswith("dc"))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return (
        tuple(m.evaluate for m in modules if hasattr(m, "evaluate")),
        tuple(m.evaluate_pair for m in modules if hasattr(m, "evaluate_pair")),
    )


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    """What every check says of a use on the view's version: breaks, nothing where it holds or is unknown."""
    for check in _checks()[0]:
        for answer in with_reports(check, use, view):
            yield doubted(answer, use, view)


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    """What the checks that compare say of one use as two versions answer it."""
    for check in _checks()[1]:
        for answer in with_reports(check, target, known_good, view, before):
            yield doubted(answer, target, view)
