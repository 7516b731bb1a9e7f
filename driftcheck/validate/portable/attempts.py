"""One attempt from overlay to record."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .edits import EditConflict, decoded, edited_line, original_line
from .environment import Surroundings, clean_environment
from .outcome import Attempt, Failure, Frame, Raised, StepOutcome
from .overlay import edits_by_path, make_overlay
from .plan import Drive, Plan
from .processes import Ending, run_limited
from .records import from_json
from .scrub import Scrubber
from .workers import reported, tracebacks

_LOG_LIMIT = 16 << 20


@dataclass
class Bench:
    """Where attempts are made: the plan's files, the interpreter, and a scratch directory of this run."""

    plan: Plan
    consumer: Path
    drivers: Path
    python: Path
    device: str
    surroundings: Surroundings
    scratch: Path
    stop: threading.Event
    on: str = "target"
    time_limit: float | None = None

    def seconds(self, drive: Drive) -> float:
        """How long an attempt may take: what the user says, else what the scenario says."""
        return self.time_limit or drive.seconds

    def identity(self, drive: Drive, fixes: list[str]) -> str:
        """Names what an attempt runs: the same for the same plan, driver, fixes, device and versions."""
        made_of = [
            self.plan.digest(),
            drive.name,
            sorted(fixes),
            self.device,
            self.on,
            self.surroundings.for_result(),
        ]
        return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:12]


def make_attempt(bench: Bench, drive: Drive, fixes: list[str], seconds: float | None = None) -> Attempt:
    """Runs the driver on the consumer with those fixes applied, within the drive's limits or ``seconds``."""
    attempt = Attempt(bench.identity(drive, fixes), drive.name, sorted(fixes), "environment", on=bench.on)
    where = bench.scratch / f"attempt-{attempt.id}"
    try:
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        job = _lay_out(bench, drive, fixes, where)
        log = where / "output.log"
        ending = run_limited(
            [str(bench.python), str(where / "run" / "attempt.py")],
            cwd=where / "scratch",
            environment=_variables(bench, drive, where, job),
            log=log,
            seconds=min(bench.seconds(drive), seconds or bench.seconds(drive)),
            memory_gib=drive.memory_gib,
            stop=bench.stop,
            mark=("DRIFTCHECK_ATTEMPT_ID", f"{attempt.id}-{os.getpid()}"),
        )
        _Reading(bench, drive, fixes, where).fill(attempt, ending)
    except EditConflict as error:
        attempt.status, attempt.problem = "conflict", str(error)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        attempt.problem = (
            "no space left on the device" if full else f"{type(error).__name__}: {error.strerror}"
        )
    finally:
        if not os.environ.get("DRIFTCHECK_KEEP_ATTEMPTS"):
            shutil.rmtree(where, ignore_errors=True)
    return attempt


def _lay_out(bench: Bench, drive: Drive, fixes: list[str], where: Path) -> Path:
    overlay = where / "overlay"
    if drive.needs_consumer:
        make_overlay(bench.consumer, overlay, bench.plan, fixes)
    else:
        overlay.mkdir()
    for name in ("run", "scratch"):
        (where / name).mkdir()
    (bench.scratch / "shared").mkdir(exist_ok=True)
    shutil.copy(Path(bench.drivers) / "attempt.py", where / "run" / "attempt.py")
    # The driver's neighbours come along: several drivers may share what makes a model, say.
    for file in bench.drivers.glob("*.py"):
        if file.name not in ("attempt.py", "probe.py"):
            shutil.copy(file, where / "run" / file.name)
    parameters = {"seed": "0", **drive.parameters}
    job = {
        "overlay": str(overlay),
        "provider_root": bench.surroundings.provider_root,
        "stdlib": bench.surroundings.stdlib,
        "sites": bench.surroundings.sites,
        "packages": bench.plan.consumer.packages if drive.needs_consumer else [],
        "marks": _marks(bench, fixes) if drive.needs_consumer else {},
        "driver": str(where / "run" / drive.driver),
        "device": bench.device,
        "scratch": str(where / "scratch"),
        "shared": str(bench.scratch / "shared"),
        "parameters": parameters,
        "bounds": {name: bound.value for name, bound in drive.bounds.items()},
        "shims": [{"name": shim.name, "devices": shim.devices} for shim in drive.shims],
        "steps": [{"name": step.name, "group": step.group} for step in drive.steps],
        "events": str(where / "events.jsonl"),
        "reached": str(where / "reached.txt"),
    }
    path = where / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    return path


def _marks(bench: Bench, fixes: list[str]) -> dict[str, list[tuple[int, str]]]:
    edits = edits_by_path(bench.plan, fixes)
    marks: dict[str, list[tuple[int, str]]] = {}
    for claim in bench.plan.claims:
        file = bench.consumer / claim.path
        if not file.is_file():
            continue
        changes, line = edits.get(claim.path), claim.line
        if changes:
            line = edited_line(decoded(file.read_bytes())[0], changes, line)
        marks.setdefault(claim.path, []).append((line, claim.id))
    return marks


def _variables(bench: Bench, drive: Drive, where: Path, job: Path) -> dict[str, str]:
    variables = clean_environment(os.environ)
    before = variables.get("PYTHONPATH")
    variables["PYTHONPATH"] = os.pathsep.join([str(where / "overlay"), *([before] if before else [])])
    variables["DRIFTCHECK_ATTEMPT"] = str(job)
    variables["DRIFTCHECK_CALLER"] = os.getcwd()
    variables["TMPDIR"] = str(where / "scratch")
    places = {"{scratch}": str(where / "scratch"), "{shared}": str(bench.scratch / "shared")}
    for name, given in drive.devices[bench.device].variables.items():
        value = drive.filled(given)
        for key, text in places.items():
            value = value.replace(key, text)
        if value:
            variables[name] = value
    return variables


class _Reading:
    """Turns what an attempt left into its record."""

    def __init__(self, bench: Bench, drive: Drive, fixes: list[str], where: Path) -> None:
        self._bench = bench
        self._drive = drive
        self._edits = edits_by_path(bench.plan, fixes) if drive.needs_consumer else {}
        self._where = where
        surroundings = bench.surroundings
        self._roots = [
            ("consumer", str(where / "overlay"), str(where / "overlay")),
            ("driver", str(where / "run"), str(where / "run")),
            ("provider", surroundings.provider_root, os.path.dirname(surroundings.provider_root)),
            *(("library", site, site) for site in surroundings.sites),
            ("stdlib", surroundings.stdlib, surroundings.stdlib),
        ]
        roots = {
            str(where / "overlay"): "consumer",
            str(where / "run"): "driver",
            str(where): "attempt",
            str(bench.scratch): "scratch",
            os.getcwd(): "project",
        }
        self._scrub = Scrubber({**surroundings.roots, **roots, str(Path.home()): "home"})

    def fill(self, attempt: Attempt, ending: Ending) -> None:
        events = _lines_of_json(self._where / "events.jsonl")
        log = _tail_of(self._where / "output.log")
        attempt.seconds, attempt.peak_mib = round(ending.seconds, 1), ending.peak_mib
        attempt.reached = sorted(set(_text(self._where / "reached.txt").split()))
        attempt.steps = self._steps(events)
        attempt.failures = self._failures(events, log)
        attempt.shims = sorted({event["name"] for event in events if event["kind"] == "shim"})
        attempt.facts = {
            event["name"]: self._scrub.deep(event["value"]) for event in events if event["kind"] == "fact"
        }
        problems = [event["problem"] for event in events if event["kind"] == "environment"]
        attempt.status = self._status(attempt, events, ending)
        if attempt.status == "passed":
            attempt.steps += [
                StepOutcome(step.name, "not-run", step.group)
                for step in self._drive.steps
                if all(step.name != one.name for one in attempt.steps)
            ]
        missing = self._missing_module(attempt)
        if problems or missing:
            attempt.status = "environment"
            attempt.problem = (
                problems[0] if problems else f"module {missing} is not installed in this environment"
            )
        if attempt.status not in ("passed", "differs"):
            attempt.tail = [self._scrub(line)[:300] for line in log[-30:]]

    def _status(self, attempt: Attempt, events: list[dict[str, Any]], ending: Ending) -> str:
        if ending.how in ("timeout", "memory", "interrupted"):
            if ending.how != "interrupted":
                attempt.failures.append(self._abrupt(ending.how, events))
            return ending.how
        done = [event for event in events if event["kind"] == "done"]
        if not done:
            kind = "crash"
            name = signal.Signals(-ending.code).name if ending.code < 0 else f"status {ending.code}"
            attempt.problem = f"the process ended with {name}"
            if ending.code == -signal.SIGKILL:
                attempt.problem += ", perhaps for want of memory"
            failure = self._abrupt(kind, events)
            failure.problems.append(attempt.problem)
            attempt.failures.append(failure)
            return kind
        if any(failure.kind == "exception" for failure in attempt.failures):
            return "failed"
        return "differs" if attempt.failures else "passed"

    def _abrupt(self, kind: str, events: list[dict[str, Any]]) -> Failure:
        begun = [event for event in events if event["kind"] == "begin"]
        ended = {event.get("step") for event in events if event["kind"] in ("end", "exception")}
        open_steps = [event for event in begun if event["step"] not in ended]
        last = open_steps[-1] if open_steps else None
        return Failure(kind, last["step"] if last else None, last["group"] if last else "core")

    def _steps(self, events: list[dict[str, Any]]) -> list[StepOutcome]:
        found: dict[str, StepOutcome] = {}
        for event in events:
            if event["kind"] == "begin":
                found[event["step"]] = StepOutcome(event["step"], "failed", event["group"])
            elif event["kind"] == "end":
                outcome = found[event["step"]]
                outcome.status = "differs" if event["problems"] else "passed"
                outcome.seconds = event["seconds"]
                outcome.figures = event["figures"]
        return list(found.values())

    def _failures(self, events: list[dict[str, Any]], log: list[str]) -> list[Failure]:
        groups = {event["step"]: event["group"] for event in events if event["kind"] == "begin"}
        found = []
        for event in events:
            if event["kind"] == "end" and event["problems"]:
                problems = [self._scrub(text) for text in event["problems"][:20]]
                found.append(Failure("differs", event["step"], groups[event["step"]], problems=problems))
            elif event["kind"] == "exception":
                step = event.get("step")
                raised = self._raised(event["error"], log)
                found.append(Failure("exception", step, groups.get(step, "core"), raised=raised))
        return found

    def _raised(self, error: dict[str, Any], log: list[str]) -> list[Raised]:
        chain: list[Raised] = []
        link: dict[str, Any] | None = error
        while link:
            one = from_json(Raised, {key: value for key, value in link.items() if key != "cause"})
            for frame in one.frames:
                self._restore(frame)
            chain.append(one)
            link = link.get("cause")
        text = tracebacks([*log, *chain[0].message.splitlines()], self._frame)
        worker = reported(chain[0], text)
        if worker is not None and all(worker.message != one.message for one in chain):
            chain.append(worker)
        for one in chain:
            one.message = self._scrub(one.message)
        return chain

    def _frame(self, file: str, line: int, function: str) -> Frame:
        """A frame that was read as text, placed as the attempt itself places its own."""
        for role, root, base in self._roots:
            if file.startswith(root + os.sep):
                path = os.path.relpath(file, base).replace(os.sep, "/")
                frame = Frame(role, path, line, function)
                if role == "library":
                    frame.distribution = path.partition("/")[0]
                self._restore(frame)
                return frame
        return Frame("other", os.path.basename(file), line, function)

    def _restore(self, frame: Frame) -> None:
        """Gives a consumer's frame the line of the original file."""
        edits = self._edits.get(frame.path) if frame.role == "consumer" else None
        if edits and frame.line:
            text, _ = decoded((self._bench.consumer / frame.path).read_bytes())
            frame.line = original_line(text, edits, frame.line)

    def _missing_module(self, attempt: Attempt) -> str | None:
        """A top-level module of neither provider nor consumer that was not found."""
        failure = attempt.first_failure
        if failure is None or not failure.raised:
            return None
        first = failure.raised[0]
        if "ModuleNotFoundError" not in first.bases or not first.module:
            return None
        # What an installed distribution no longer has inside is not a missing installation.
        own = {self._bench.plan.provider.module.partition(".")[0], *self._bench.plan.consumer.packages}
        return None if "." in first.module or first.module in own else first.module


def _lines_of_json(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in _text(path).splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            break  # the process ended while it wrote
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _tail_of(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(file.tell() - _LOG_LIMIT, 0))
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
