"""Stage names on the terminal while work lasts, and how long each stage took."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

from driftcheck.report.escape import visible

if TYPE_CHECKING:
    from rich.status import Status

_PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """Called with the name of each stage as it begins.

    On a terminal the current stage is shown on standard error once the whole work has lasted over a
    second; elsewhere nothing is written. Leave the context before writing anything else.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._stages: list[tuple[str, float]] = []
        self._status: Status | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def __call__(self, stage: str) -> None:
        with self._lock:
            if self._stages and self._stages[-1][0] == stage:
                return
            self._stages.append((stage, time.perf_counter()))
            if self._status is not None:
                self._status.update(visible(stage))

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._timer = threading.Timer(_PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._timer = None
            if self._status is not None:
                self._status.stop()
                self._status = None

    def timings(self) -> list[tuple[str, float]]:
        """Each stage with its seconds, in the order they began; ``total`` last."""
        now = time.perf_counter()
        ends = [began for _, began in self._stages[1:]] + [now]
        lasted = [(stage, end - began) for (stage, began), end in zip(self._stages, ends, strict=True)]
        return [*lasted, ("total", now - self._began)]

    def _show(self) -> None:
        from rich.console import Console

        with self._lock:
            if self._timer is None:
                return
            stage = self._stages[-1][0] if self._stages else "starting"
            self._status = Console(stderr=True, markup=False, highlight=False).status(visible(stage))
            self._status.start()
