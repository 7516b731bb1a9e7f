"""What git says of the files that are to be changed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path


def uncommitted(paths: Iterable[Path]) -> list[Path]:
    """Those of the files that differ from their last commit or are not under version control."""
    return [path for path in paths if _is_dirty(path)]


def _is_dirty(path: Path) -> bool:
    command = ["git", "-C", str(path.parent), "status", "--porcelain", "--ignored", "--", path.name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode != 0 or bool(done.stdout.strip())
