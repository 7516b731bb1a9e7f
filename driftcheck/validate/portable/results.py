"""The results file: what was run so far, written after every attempt so that nothing is lost."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from .outcome import Attempt
from .plan import Plan
from .records import from_json, to_json

SCHEMA = "driftcheck/validation/1"


@dataclass
class ChainLink:
    """One step of the chain: the failure that struck, what explains it, and what removed it.

    ``by``: mapping (a claim foretold it), trial (no claim did, and this fix removed it), or none.
    """

    attempt: str
    failure: str
    claims: list[str] = field(default_factory=list)
    fix: str | None = None
    by: str = "mapping"
    removed: bool | None = None
    tried: list[str] = field(default_factory=list)


@dataclass
class FixVerdict:
    """Each question is answered yes, no, or not at all (None): then the run did not show it."""

    necessary: bool | None = None
    sufficient: bool | None = None
    harmful: bool = False
    detail: str = ""

    @property
    def words(self) -> list[str]:
        """The verdict in words: necessary, sufficient, insufficient, harmful; unproven where none holds."""
        found = ["harmful"] if self.harmful else []
        if self.necessary:
            found.append("necessary")
        if self.sufficient is not None:
            found.append("sufficient" if self.sufficient else "insufficient")
        return found if self.necessary or self.harmful or self.sufficient is False else ["unproven"]


@dataclass
class ClaimVerdict:
    """confirmed, silent-confirmed, refuted, masked or not-reached, and what shows it."""

    verdict: str
    detail: str = ""
    attempts: list[str] = field(default_factory=list)


@dataclass
class Verdicts:
    """What all attempts together show.

    ``overall``: works, drift, fails, consumer-bug, outside or environment. ``beyond``: failures beyond
    ordinary use, of which only a run on known-good could tell whether they are the consumer's own.
    """

    overall: str = "environment"
    summary: str = ""
    claims: dict[str, ClaimVerdict] = field(default_factory=dict)
    fixes: dict[str, FixVerdict] = field(default_factory=dict)
    missed: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    consumer_bugs: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    all_sufficient: bool | None = None


@dataclass
class Results:
    """A results file as a whole. ``state``: complete, budget, interrupted or environment."""

    plan: Plan
    device: str
    schema: str = SCHEMA
    digest: str = ""
    command: str = ""
    state: str = "interrupted"
    problem: str | None = None
    environment: dict[str, object] = field(default_factory=dict)
    known_good_environment: dict[str, object] | None = None
    stages: list[str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    chain: list[ChainLink] = field(default_factory=list)
    verdicts: Verdicts = field(default_factory=Verdicts)

    def attempt(self, identity: str) -> Attempt | None:
        """The attempt of that id, if it was made."""
        return next((one for one in self.attempts if one.id == identity), None)

    def with_fixes(self, fixes: list[str], on: str = "target") -> Attempt | None:
        """The scenario's attempt with exactly those fixes, if it was made."""
        wanted = sorted(fixes)
        for one in self.attempts:
            if one.fixes == wanted and one.on == on and one.drive == self.plan.scenario.name:
                return one
        return None


class ResultsError(ValueError):
    """A results file cannot be read, or is of another run."""


def save_results(results: Results, path: Path) -> None:
    """Writes the file as a whole or not at all; raises OSError."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(to_json(results), indent=1) + "\n", encoding="utf-8")
    os.replace(part, path)


def load_results(path: Path) -> Results:
    """The results in a file; raises ResultsError where it is none, OSError where it cannot be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            raise ResultsError(f"{path.name}: not a results file of this version ({SCHEMA})")
        return from_json(Results, value)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ResultsError):
            raise
        raise ResultsError(f"{path.name}: {error}") from error
