"""The finding and the report: the contract with everything that reads driftcheck's output."""

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "note"]
Confidence = Literal["certain", "likely", "possible"]
Status = Literal["introduced", "preexisting", "fixed", "unknown"]
Applicability = Literal["safe", "unsafe", "display"]


class Evidence(msgspec.Struct, frozen=True):
    """A place in a provider release that shows what the finding says (lines count from 1)."""

    version: str
    path: str
    line: int
    text: str


class Related(msgspec.Struct, frozen=True):
    """A further place in the consumer: where it strikes, or what else takes part."""

    path: str
    line: int
    message: str


class Edit(msgspec.Struct, frozen=True):
    """Replace one region of a consumer file by ``text``; positions as in :class:`Span`."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Fix(msgspec.Struct, frozen=True):
    """A repair: its applicability, what it does in words, and the minimal edits."""

    applicability: Applicability
    description: str
    edits: tuple[Edit, ...] = ()


class Proof(msgspec.Struct, frozen=True):
    """What running the consumer showed about a finding or its fix."""

    verdict: str
    scenario: str
    detail: str = ""


class Finding(msgspec.Struct, kw_only=True):
    """One use of the provider that does not hold on the target.

    ``symbol`` is fully qualified at its defining module; ``since`` is the first release that has
    the drift where that was looked for; ``contract`` names the rule the finding rests on, if any;
    ``provider`` the library asked about, where a run asked about several.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    status: Status
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    message: str
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Related, ...] = ()
    since: str | None = None
    contract: str | None = None
    fix: Fix | None = None
    proof: Proof | None = None
    provider: str | None = None

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """The documented sort key: path, line, column, code; the message breaks ties."""
        return (self.path, self.line, self.column, self.code, self.message)


class Step(msgspec.Struct, frozen=True):
    """A finding of the report, named by its anchor and code."""

    path: str
    line: int
    column: int
    code: str


class Chain(msgspec.Struct, frozen=True):
    """Findings in the order in which they strike when ``function`` (and its class's constructor) runs."""

    function: str
    steps: tuple[Step, ...]


class Side(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was read for one side of the comparison."""

    spec: str
    version: str | None = None
    root: str | None = None


class Pair(msgspec.Struct, frozen=True):
    """One provider of a run: the version asked about and the one compared with."""

    provider: str
    target: Side
    known_good: Side | None


class Report(msgspec.Struct, kw_only=True):
    """The whole answer of one ``check``; serialised as it stands (field ``schema`` first).

    ``target`` and ``known_good`` are those of the first provider asked about; ``providers`` lists
    every one, and is empty where there is no other. ``strikes`` tells what strikes after what.
    """

    schema: str = "driftcheck/1"
    driftcheck: str
    consumer: Side
    target: Side
    known_good: Side | None
    providers: tuple[Pair, ...] = ()
    summary: dict[str, int | str]
    findings: list[Finding]
    strikes: tuple[Chain, ...] = ()
