"""One codemod a file. Each has ``CODES``, the findings that it repairs, and ``propose(job)``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from driftcheck.fixes.proposal import Codemod


@cache
def codemods(code: str) -> tuple[Codemod, ...]:
    """The codemods for a finding's code, found by listing this package, in the order of their names."""
    modules = [import_module(f"{__name__}.{info.name}") for info in iter_modules(__path__)]
    return tuple(module.propose for module in modules if code in module.CODES)
