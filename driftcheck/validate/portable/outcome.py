"""What an attempt showed: plain records, as they stand in the results file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Frame:
    """One frame of a traceback. ``role``: consumer, provider, driver, library, stdlib or other.

    A consumer's line is that of the original file, whatever was edited.
    """

    role: str
    path: str
    line: int | None
    function: str
    text: str | None = None
    distribution: str | None = None


@dataclass
class Raised:
    """An exception: of the process itself, or as text that a worker left in its parent's message or log."""

    type: str
    message: str
    frames: list[Frame] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    module: str | None = None


@dataclass
class Failure:
    """What went wrong in a step: an exception, a difference from the oracle, or an abrupt end.

    ``kind``: exception, differs, crash, timeout or memory. ``raised`` holds the exception and its
    causes, then those of workers; ``claims`` the claims it is mapped to, the likeliest first.
    """

    kind: str
    step: str | None
    group: str = "core"
    raised: list[Raised] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    outside: str | None = None

    @property
    def headline(self) -> str:
        """One line for people."""
        if self.kind == "exception" and self.raised:
            first = self.raised[-1] if self.raised[-1].frames else self.raised[0]
            lines = [line.strip() for line in first.message.splitlines() if line.strip()]
            return f"{first.type.rpartition('.')[2]}: {' '.join(lines)[:200]}".rstrip(": ")
        if self.problems:
            return self.problems[0]
        return self.kind


@dataclass
class StepOutcome:
    """How one step ended: passed, differs, failed, or not-run."""

    name: str
    status: str
    group: str = "core"
    seconds: float | None = None
    figures: dict[str, object] = field(default_factory=dict)


@dataclass
class Attempt:
    """One run of the driver with some fixes applied.

    ``status``: passed, differs, failed, crash, timeout, memory, environment, interrupted. ``id`` is made
    of what was run, so that a rerun knows what it already has.
    """

    id: str
    drive: str
    fixes: list[str]
    status: str
    seconds: float = 0.0
    peak_mib: int = 0
    steps: list[StepOutcome] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    shims: list[str] = field(default_factory=list)
    facts: dict[str, object] = field(default_factory=dict)
    problem: str | None = None
    tail: list[str] = field(default_factory=list)
    on: str = "target"

    @property
    def first_failure(self) -> Failure | None:
        """The failure that struck first."""
        return self.failures[0] if self.failures else None

    def step(self, name: str) -> str:
        """How that step ended; ``not-run`` where it did not begin."""
        return next((one.status for one in self.steps if one.name == name), "not-run")

    @property
    def core_passed(self) -> bool:
        """Whether everything but the steps beyond ordinary use went well."""
        core = [one for one in self.steps if one.group == "core"]
        return bool(core) and all(one.status == "passed" for one in core)
