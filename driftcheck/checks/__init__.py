"""One file a check: each answers, for one version, whether a use holds."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from driftcheck.checks.answer import Answer, Check, View
from driftcheck.uses import Use

__all__ = ["Answer", "View", "evaluate"]


@cache
def _checks() -> tuple[Check, ...]:
    """Every check, found by listing this package: there is no central table."""
    names = sorted(m.name for m in iter_modules(__path__) if m.name.startswith("dc"))
    return tuple(import_module(f"{__name__}.{name}").evaluate for name in names)


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    """What every check says of a use on the view's version: breaks, nothing where it holds or is unknown."""
    for check in _checks():
        yield from check(use, view)
