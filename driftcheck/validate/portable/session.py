"""Makes attempts for the stages: each at most once, within the budget, on record as soon as it ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from .attempts import Bench, make_attempt
from .environment import EnvironmentProblem
from .mapping import map_failure, outside_of
from .outcome import Attempt
from .plan import Drive
from .results import Results, save_results

Progress = Callable[[str], None]


class OutOfBudget(Exception):
    """No time is left for another attempt."""


class Stopped(Exception):
    """The user asked to stop."""


class Session:
    """One carrying-out of a plan. Safe to use from several threads; ``jobs`` attempts run side by side."""

    def __init__(
        self,
        bench: Bench,
        results: Results,
        path: Path | None,
        *,
        jobs: int = 1,
        budget: float | None = None,
        progress: Progress = lambda line: None,
    ) -> None:
        self.bench = bench
        self.results = results
        self._path = path
        self._slots = threading.BoundedSemaphore(jobs)
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._flights: dict[str, threading.Event] = {}
        self._deadline = None if budget is None else time.monotonic() + budget
        self._progress = progress

    def attempt(
        self, fixes: list[str], label: str, *, drive: Drive | None = None, bench: Bench | None = None
    ) -> Attempt:
        """The attempt with those fixes: the one on record, or a new one.

        Raises OutOfBudget or Stopped where none can be made, and EnvironmentProblem where it shows that
        the environment is not fit.
        """
        bench, drive = bench or self.bench, drive or self.bench.plan.scenario
        identity = bench.identity(drive, fixes)
        with self._lock:
            known = self.results.attempt(identity)
            flight = None if known else self._flights.get(identity)
            if known is None and flight is None:
                self._flights[identity] = threading.Event()
        if flight is not None:
            flight.wait()
            return self.attempt(fixes, label, drive=drive, bench=bench)
        if known is None:
            try:
                with self._slots:
                    known = self._make(bench, drive, fixes, label)
            finally:
                with self._lock:
                    self._flights.pop(identity).set()
        if known.status == "environment":
            raise EnvironmentProblem(known.problem or "the environment is not fit")
        return known

    def _make(self, bench: Bench, drive: Drive, fixes: list[str], label: str) -> Attempt:
        left = self._left(drive)
        self._progress(f"… {label}")
        attempt = make_attempt(bench, drive, fixes, left)
        if bench.stop.is_set():
            raise Stopped
        if attempt.status == "timeout" and left is not None and left < bench.seconds(drive):
            raise OutOfBudget
        for failure in attempt.failures:
            failure.claims = map_failure(failure, bench.plan, fixes, attempt.reached)
            if not failure.claims:
                failure.outside = outside_of(failure, bench.plan)
        if attempt.status != "environment":
            with self._lock:
                self.results.attempts.append(attempt)
                self.save()
        self._progress(_line(label, attempt))
        return attempt

    def _left(self, drive: Drive) -> float | None:
        """Seconds that an attempt may take; raises where it is not worth beginning."""
        if self.bench.stop.is_set():
            raise Stopped
        if self._deadline is None:
            return None
        left = self._deadline - time.monotonic()
        took = [one.seconds for one in self.results.attempts if one.drive == drive.name]
        if left <= 0 or (took and left < sum(took) / len(took)):
            raise OutOfBudget
        return left

    def save(self) -> None:
        """Puts what is known so far on disk, where a file was named."""
        if self._path is not None:
            with self._saving:  # attempts and stages end at their own times, and share one unfinished file
                save_results(self.results, self._path)


def _line(label: str, attempt: Attempt) -> str:
    parts = [f"{label}: {attempt.status}", f"{attempt.seconds:.0f} s"]
    failure = attempt.first_failure
    if failure is not None:
        where = f" in {failure.step!r}" if failure.step else ""
        explained = ", ".join(failure.claims) or (
            f"outside: {failure.outside}" if failure.outside else "no finding"
        )
        parts += [f"{failure.headline}{where}", explained if failure.kind != "differs" else "silent"]
    elif attempt.problem:
        parts.append(attempt.problem)
    return " · ".join(parts)
