"""One session: resolve, run every check on both versions, compare, and hear the user's wishes.

Importing this package is cheap: what reads code is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftcheck.engine.examine import check
    from driftcheck.engine.options import CheckOptions
    from driftcheck.engine.work import Outcome, Request, run

_LATER = {
    "CheckOptions": "options",
    "Outcome": "work",
    "Request": "work",
    "check": "examine",
    "run": "work",
}

__all__ = ["CheckOptions", "Outcome", "Request", "check", "run"]


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
