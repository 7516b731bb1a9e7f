"""What an audit answers: plain structs, encoded as they stand for JSON (``schema`` first)."""

from __future__ import annotations

from typing import Literal

import msgspec

from driftcheck.model import Evidence, Finding, Fix, Related, Side
from driftcheck.model.finding import Confidence, Severity

State = Literal["holds", "breaks", "risk", "possible", "note", "unknown", "absent"]
"""What one use does on one release.

``breaks`` raises; ``risk`` is silent or changed behaviour; ``possible`` rests on more than one
assumption; ``note`` is announced (a deprecation); ``unknown``: what it needs could not be resolved;
``absent``: a guard keeps it from running, or nothing reaches it.
"""


class Place(msgspec.Struct, frozen=True, order=True):
    """A region of a consumer file, positions as in a finding."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def holds(self, other: Place) -> bool:
        """Whether the other region lies inside this one."""
        begins = (self.line, self.column) <= (other.line, other.column)
        return (
            self.path == other.path
            and begins
            and (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        )


class UseState(msgspec.Struct, frozen=True, array_like=True):
    """One use on one release: what is used, by its name there, where that is defined and how it reads.

    ``state`` is ``holds``, ``unknown``, or ``broken`` where some check answered.
    """

    kind: str
    place: Place
    symbol: str
    module: str
    shape: str
    state: Literal["holds", "unknown", "broken"]


class ReleaseResult(msgspec.Struct, frozen=True):
    """What one release showed; ``error`` says why it could not be examined.

    ``reached`` lists, by file, the lines of the consumer that run there at all.
    """

    version: str
    findings: list[Finding] = []
    uses: list[UseState] = []
    reached: dict[str, list[int]] = {}
    error: str | None = None


class Stretch(msgspec.Struct, frozen=True):
    """Consecutive releases, both ends included."""

    first: str
    last: str


class HistoryEntry(msgspec.Struct, frozen=True):
    """How a symbol reads on consecutive releases: ``shape`` is empty where it is not there."""

    first: str
    last: str
    shape: str


class Row(msgspec.Struct, kw_only=True):
    """One use, or one drift of it, over the releases; ``states`` has one entry a release.

    ``since`` is the first release of the drift that follows one where the use held (the first of all
    where none did); ``repaired`` the release that ended it, ``returned`` the one where it came back.
    ``limits`` says whether it keeps a release from being verified.
    """

    id: str
    code: str | None
    name: str | None
    severity: Severity | None
    confidence: Confidence | None
    place: Place
    symbol: str
    provider_module: str
    message: str
    states: list[State]
    since: str | None = None
    repaired: str | None = None
    returned: str | None = None
    broken: list[Stretch] = []
    limits: bool = False
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Related, ...] = ()
    contract: str | None = None
    fix: Fix | None = None
    diff: str = ""
    effort: int = 0
    effort_words: str = ""
    source: str = ""
    history: list[HistoryEntry] = []


class Column(msgspec.Struct, kw_only=True):
    """One release of the audit, with how many rows are in each state that matters."""

    version: str
    breaks: int = 0
    risks: int = 0
    possible: int = 0
    verified: bool = False
    declared: bool | None = None
    declared_range: str | None = None
    conflict: str | None = None
    error: str | None = None


class Step(msgspec.Struct, kw_only=True):
    """What to repair next so that the range grows: rows by effort, and how far it then reaches."""

    direction: Literal["up", "down"]
    rows: list[str]
    effort: int
    adds: list[str]
    specifier: str


class Promise(msgspec.Struct, kw_only=True):
    """One announced removal of something that is used, and what became of it."""

    row: str
    symbol: str
    message: str
    first: str
    last: str
    removal: str | None
    instead: str | None
    outcome: Literal["open", "kept", "early", "late", "overdue", "withdrawn"]
    removed: str | None = None


class Edge(msgspec.Struct, frozen=True):
    """Uses of one provider module by one consumer module, and the states they have per release."""

    consumer: str
    provider: str
    uses: int
    states: list[State]


class Range(msgspec.Struct, kw_only=True):
    """The verified range beside the declared one; specifiers without the library's name.

    ``proposed`` leaves the end open that reaches the newest release. ``others`` are verified releases
    that broken ones separate from it. ``too_wide`` are declared releases that do not hold; ``too_narrow``
    verified ones that are not declared.
    """

    verified: str | None
    proposed: str | None
    declared: str | None
    others: list[str] = []
    too_wide: list[str] = []
    too_narrow: list[str] = []


class AuditReport(msgspec.Struct, kw_only=True):
    """The whole answer of one ``audit``."""

    schema: str = "driftcheck-audit/1"
    driftcheck: str
    consumer: Side
    provider: str
    known_good: Side | None
    known_good_assumed: bool = False
    releases: list[Column]
    range: Range
    rows: list[Row]
    plan: list[Step]
    forecast: list[Promise]
    modules: list[Edge]
    skipped: list[str] = []
    holding: int = 0

    @property
    def last_breaks(self) -> bool:
        """Whether something breaks or is at risk on the last release."""
        last = self.releases[-1]
        return not last.verified
