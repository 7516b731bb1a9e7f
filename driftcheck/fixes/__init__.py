"""Repairs: codemods that plan edits for findings, applying edits to bytes, and writing files whole.

The codemods need LibCST, which takes longer to import than a small check to run: a run that has nothing
to repair does without.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftcheck.fixes.apply import EditError, apply_edits, clash
    from driftcheck.fixes.plan import plan_fixes
    from driftcheck.fixes.proposal import Style
    from driftcheck.fixes.write import FileChanged, write_file

_LATER = {
    "EditError": "apply",
    "apply_edits": "apply",
    "clash": "apply",
    "plan_fixes": "plan",
    "Style": "proposal",
    "FileChanged": "write",
    "write_file": "write",
}

__all__ = ["EditError", "FileChanged", "Style", "apply_edits", "clash", "plan_fixes", "write_file"]


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
