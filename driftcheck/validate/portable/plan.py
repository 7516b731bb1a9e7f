"""What is to be run: the scenario, the consumer, the claims about it and the fixes to try."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field

from .records import from_json, to_json

SCHEMA = "driftcheck/validation-plan/1"
STAGES = ("original", "all", "chain", "ablation", "alternatives")


@dataclass
class Edit:
    """Replaces one region of a consumer file; lines and columns count from 1, the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass
class Where:
    """A further line of the consumer that takes part in a claim."""

    path: str
    line: int
    message: str = ""


@dataclass
class Claim:
    """A finding, as far as a run can confirm or refute it.

    ``first_line`` and ``last_line`` are those of the statement around the anchor: what a traceback names.
    """

    id: str
    code: str
    path: str
    line: int
    first_line: int
    last_line: int
    symbol: str
    message: str
    severity: str = "error"
    confidence: str = "certain"
    status: str = "unknown"
    related: list[Where] = field(default_factory=list)


@dataclass
class Fix:
    """Edits that belong together, the claims they answer, and the fix they could stand in for."""

    id: str
    description: str
    edits: list[Edit]
    claims: list[str] = field(default_factory=list)
    applicability: str = "safe"
    instead_of: str | None = None


@dataclass
class Step:
    """One thing the driver does. ``group`` is "core", or "limits" for what goes beyond ordinary use."""

    name: str
    about: str = ""
    group: str = "core"


@dataclass
class Bound:
    """The largest error that still counts as equal, and why it is that large."""

    value: float
    reason: str


@dataclass
class Shim:
    """A change to the surroundings that the driver makes, shown in the result."""

    name: str
    reason: str
    devices: list[str] = field(default_factory=list)


@dataclass
class Device:
    """What the scenario needs on one kind of device. ``gpus`` is a number, or a parameter in braces."""

    memory_gib: float = 0.0
    gpus: str = "1"
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class Drive:
    """A driver with all that decides what it does."""

    name: str
    title: str
    driver: str
    steps: list[Step]
    needs_consumer: bool = True
    bounds: dict[str, Bound] = field(default_factory=dict)
    shims: list[Shim] = field(default_factory=list)
    devices: dict[str, Device] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    seconds: float = 300.0
    memory_gib: float = 16.0
    record: list[str] = field(default_factory=list)

    def filled(self, text: str) -> str:
        """The text with each parameter's value in place of its name in braces."""
        for name, value in self.parameters.items():
            text = text.replace(f"{{{name}}}", value)
        return text


@dataclass
class Provider:
    """The library that is run: what to import, which distributions may bring it, which version is meant."""

    module: str
    distributions: list[str]
    version: str | None = None


@dataclass
class Consumer:
    """The code that is exercised."""

    spec: str
    packages: list[str]
    name: str | None = None
    version: str | None = None
    sha256: str = ""
    requires: list[str] = field(default_factory=list)


@dataclass
class Plan:
    """Everything that decides the outcome, except the machine."""

    driftcheck: str
    scenario: Drive
    consumer: Consumer
    provider: Provider
    claims: list[Claim]
    fixes: list[Fix]
    sanity: Drive | None = None
    known_good: str | None = None
    command: str = ""
    schema: str = SCHEMA

    def fix(self, identity: str) -> Fix:
        """The fix of that id; raises KeyError."""
        for one in self.fixes:
            if one.id == identity:
                return one
        raise KeyError(identity)

    def claim(self, identity: str) -> Claim:
        """The claim of that id; raises KeyError."""
        for one in self.claims:
            if one.id == identity:
                return one
        raise KeyError(identity)

    @property
    def cures(self) -> list[Fix]:
        """The fixes proper, without those that only could stand in for one."""
        return [one for one in self.fixes if one.instead_of is None]

    @property
    def alternatives(self) -> list[Fix]:
        """The fixes that could stand in for another."""
        return [one for one in self.fixes if one.instead_of is not None]

    def digest(self) -> str:
        """Identifies what is run: the same for every command that asks for the same."""
        value = to_json(self)
        value.pop("command", None)
        return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def load_plan(text: str) -> Plan:
    """The plan that JSON text spells; raises ValueError."""
    value = json.loads(text)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ValueError(f"not a plan of this version ({SCHEMA})")
    return from_json(Plan, value)


def dump_plan(plan: Plan) -> str:
    """The plan as JSON text."""
    return json.dumps(to_json(plan), indent=1, sort_keys=True) + "\n"
