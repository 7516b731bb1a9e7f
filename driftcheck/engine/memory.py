"""Garbage collection during a run: syntax trees are many, long-lived and rarely garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (700_000, 20, 20)
"""Collect three orders of magnitude less often than Python does by default: most runs end before the first."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect rarely until the block ends: each collection would walk every tree parsed so far."""
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
