"""Repairs: codemods that plan edits for findings, applying edits to bytes, and writing files whole."""

from driftcheck.fixes.apply import EditError, apply_edits, clash
from driftcheck.fixes.plan import plan_fixes
from driftcheck.fixes.proposal import Style
from driftcheck.fixes.write import FileChanged, write_file

__all__ = ["EditError", "FileChanged", "Style", "apply_edits", "clash", "plan_fixes", "write_file"]
