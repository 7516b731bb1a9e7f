"""A fix as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from driftcheck.fixes import EditError, apply_edits
from driftcheck.index.source import SourceFault, decode
from driftcheck.model import Fix


def diff_of(fix: Fix | None, read: Callable[[str], bytes]) -> str:
    """The fix's edits as one unified diff over all its files; empty where they cannot be applied."""
    if fix is None or not fix.edits:
        return ""
    found: list[str] = []
    for path in dict.fromkeys(edit.path for edit in fix.edits):
        try:
            data = read(path)
            before = decode(data).splitlines()
            after = decode(apply_edits(data, [edit for edit in fix.edits if edit.path == path])).splitlines()
        except (OSError, EditError, SourceFault):
            return ""
        found += difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="", n=2)
    return "\n".join(found)
