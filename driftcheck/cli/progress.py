"""A bar on the terminal while work lasts, and how long each stage took."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

from driftcheck.report.escape import visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_PATIENCE = 1.0  # seconds before anything is shown


class Progress:
    """Called with the name of each stage as it begins.

    On a terminal the current stage is shown on standard error once the whole work has lasted over a
    second, with a bar of how much of it is done where the stage tells (:class:`Stage`); elsewhere nothing
    is written. Leave the context before writing anything else.
    """

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._stages: list[tuple[str, float]] = []
        self._bar: Bar | None = None
        self._share: float | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def __call__(self, stage: str) -> None:
        with self._lock:
            self._share = getattr(stage, "share", None)
            if not self._stages or self._stages[-1][0] != stage:
                self._stages.append((str(stage), time.perf_counter()))
            self._draw()

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
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def timings(self) -> list[tuple[str, float]]:
        """Each stage with its seconds, in the order they began; ``total`` last."""
        now = time.perf_counter()
        ends = [began for _, began in self._stages[1:]] + [now]
        lasted = [(stage, end - began) for (stage, began), end in zip(self._stages, ends, strict=True)]
        return [*lasted, ("total", now - self._began)]

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
        from rich.table import Column

        with self._lock:
            if self._timer is None:
                return
            # A long stage is cut short; what tells how far it is has its room whatever happens.
            name = TextColumn("{task.description}", markup=False, table_column=Column(overflow="ellipsis"))
            share = TaskProgressColumn(table_column=Column(min_width=4, no_wrap=True))
            lasted = TimeElapsedColumn(table_column=Column(min_width=7, no_wrap=True))
            console = Console(stderr=True, markup=False, highlight=False)
            columns = (SpinnerColumn(), name, BarColumn(16), share, lasted)
            self._bar = Bar(*columns, console=console, transient=True)
            self._bar.add_task("", total=None)
            self._draw()
            self._bar.start()

    def _draw(self) -> None:
        if self._bar is None:
            return
        stage = self._stages[-1][0] if self._stages else "starting"
        (task,) = self._bar.tasks
        task.total = None if self._share is None else 1.0  # `update` cannot take a total back
        self._bar.update(task.id, description=visible(stage), completed=self._share or 0.0)
