"""Trees of the consumer's files with some fixes applied, for one attempt each."""

from __future__ import annotations

import shutil
from pathlib import Path

from .edits import EditConflict, edited
from .plan import Edit, Fix, Plan


def edits_by_path(plan: Plan, chosen: list[str]) -> dict[str, list[Edit]]:
    """The edits of the chosen fixes, by consumer file."""
    found: dict[str, list[Edit]] = {}
    for identity in chosen:
        fix: Fix = plan.fix(identity)
        for edit in fix.edits:
            found.setdefault(edit.path, []).append(edit)
    return found


def make_overlay(source: Path, target: Path, plan: Plan, chosen: list[str]) -> None:
    """Copies the consumer's files to ``target`` and edits them there.

    Raises EditConflict, naming the file, where the chosen fixes cannot be applied together; OSError
    where the disk is full or not writable.
    """
    shutil.copytree(source, target)
    for path, edits in edits_by_path(plan, chosen).items():
        file = target / path
        if not file.is_file():
            raise EditConflict(f"{path}: the consumer has no such file")
        try:
            after = edited(file.read_bytes(), edits)
        except EditConflict as error:
            raise EditConflict(f"{path}: {error}") from error
        file.write_bytes(after)
