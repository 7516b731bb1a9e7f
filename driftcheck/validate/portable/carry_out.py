"""Carries a plan out from beginning to end: environment, stages, verdicts, and what stays on record."""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from .attempts import Bench
from .environment import EnvironmentProblem, survey
from .plan import STAGES, Plan
from .results import Results, ResultsError, load_results
from .session import OutOfBudget, Progress, Session, Stopped
from .stages import run_stages
from .verdicts import judge


@dataclass
class Options:
    """How a plan is carried out; none of it decides what an attempt shows."""

    python: Path
    device: str = "cpu"
    stages: list[str] = field(default_factory=lambda: list(STAGES))
    results: Path | None = None
    budget: float | None = None
    jobs: int = 1
    known_good_python: Path | None = None
    check_version: bool = True
    time_limit: float | None = None
    scratch: Path | None = None


def carry_out(plan: Plan, consumer: Path, drivers: Path, options: Options, progress: Progress) -> Results:
    """Runs the plan and returns its results, judged; what was on record in the results file is not run again.

    ``drivers`` holds the drivers and the scripts that run in the environment. Raises ResultsError where
    the results file is another plan's, and OSError where it cannot be written.
    """
    results = _begin(plan, options)
    stop = threading.Event()
    scratch = Path(tempfile.mkdtemp(prefix="driftcheck-validate-", dir=options.scratch)).resolve()
    session: Session | None = None
    try:
        with _Interrupts(stop):
            bench = _bench(plan, consumer, drivers, options, scratch, stop)
            _same_environment(results, bench.surroundings.for_result(), progress)
            session = Session(
                bench, results, options.results, jobs=options.jobs, budget=options.budget, progress=progress
            )
            run_stages(session, options.stages, options.jobs, _known_good(bench, options, results))
            results.state = "complete"
    except EnvironmentProblem as error:
        results.state, results.problem = "environment", str(error)
    except OutOfBudget:
        results.state, results.problem = "budget", "the budget was spent before the last attempt"
    except (Stopped, KeyboardInterrupt):
        results.state, results.problem = "interrupted", "stopped before the last attempt"
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    results.verdicts = judge(results)
    if results.state == "environment":
        results.verdicts.overall, results.verdicts.summary = "environment", results.problem or ""
    (session or _Saver(results, options.results)).save()
    return results


def _begin(plan: Plan, options: Options) -> Results:
    results = Results(plan, options.device, digest=plan.digest(), command=plan.command, stages=options.stages)
    if options.results is None or not options.results.exists():
        return results
    before = load_results(options.results)
    if before.digest != results.digest:
        raise ResultsError(
            f"{options.results.name} holds the results of another plan; name another file or remove it"
        )
    results.attempts, results.chain = before.attempts, before.chain
    results.environment = before.environment
    return results


def _same_environment(results: Results, now: dict[str, object], progress: Progress) -> None:
    """Keeps what is on record only where it was run in the environment that is there now."""
    if results.attempts and results.environment != now:
        progress("the environment is another than that of the results file: begun anew")
        results.attempts, results.chain = [], []
    results.environment = now


def _bench(
    plan: Plan, consumer: Path, drivers: Path, options: Options, scratch: Path, stop: threading.Event
) -> Bench:
    try:
        shutil.copy(drivers / "probe.py", scratch / "probe.py")
    except OSError as error:
        raise EnvironmentProblem(f"the scratch directory cannot be written: {error.strerror}") from error
    version = plan.provider.version if options.check_version else None
    surroundings = survey(options.python, plan, options.device, version, scratch)
    return Bench(
        plan,
        consumer,
        drivers,
        options.python,
        options.device,
        surroundings,
        scratch,
        stop,
        time_limit=options.time_limit,
    )


def _known_good(bench: Bench, options: Options, results: Results) -> Bench | None:
    if options.known_good_python is None:
        return None
    plan = bench.plan
    version = plan.known_good if options.check_version else None
    there = survey(options.known_good_python, plan, options.device, version, bench.scratch)
    results.known_good_environment = there.for_result()
    return Bench(
        plan,
        bench.consumer,
        bench.drivers,
        options.known_good_python,
        options.device,
        there,
        bench.scratch,
        bench.stop,
        on="known-good",
        time_limit=options.time_limit,
    )


class _Saver:
    """Saves results where no session came to be."""

    def __init__(self, results: Results, path: Path | None) -> None:
        self._results, self._path = results, path

    def save(self) -> None:
        from .results import save_results

        if self._path is not None:
            save_results(self._results, self._path)


class _Interrupts:
    """While it lasts, the first Ctrl-C or SIGTERM asks the attempts to stop; the second is taken as it is."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._before: dict[int, object] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _ask(self, number: int, _frame: FrameType | None) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt
        self._stop.set()
