"""What decides an answer besides the trees."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftcheck.fixes import Style


@dataclass(frozen=True)
class CheckOptions:
    """What decides an answer besides the trees.

    ``use_cache``: what earlier runs left on disk may be used. ``fix_style``: fixes are to work on
    known-good too, choosing in this way.
    """

    no_contracts: bool = False
    rules_paths: tuple[Path, ...] = ()
    use_cache: bool = True
    fix_style: Style | None = None
