"""What a validate run proved about fixes: which of them may be applied although only it speaks for them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from driftcheck.model import Edit, Finding
from driftcheck.sources.errors import usage

SCHEMA = "driftcheck/validation/1"


class _Fix(msgspec.Struct):
    id: str
    edits: list[Edit]


class _Provider(msgspec.Struct):
    version: str | None = None


class _Consumer(msgspec.Struct):
    sha256: str = ""
    spec: str = ""


class _Plan(msgspec.Struct):
    consumer: _Consumer
    provider: _Provider
    fixes: list[_Fix] = []


class _Verdict(msgspec.Struct):
    necessary: bool | None = None
    sufficient: bool | None = None
    harmful: bool = False


class _Verdicts(msgspec.Struct):
    fixes: dict[str, _Verdict] = {}


class _Results(msgspec.Struct):
    plan: _Plan
    schema: str = ""
    verdicts: _Verdicts = msgspec.field(default_factory=_Verdicts)


@dataclass(frozen=True)
class Proofs:
    """The edits of fixes that a run showed to be needed and to do no harm, and what exactly it ran."""

    consumer: str = ""
    target: str | None = None
    edits: tuple[frozenset[Edit], ...] = field(default=())
    spec: str = ""

    def mismatch(self, consumers: Collection[str], target: str | None) -> str | None:
        """Why a run on this target says nothing of consumers with these digests; None where it does."""
        if target != self.target:
            return f"that run was on {self.target or 'an unknown version'}, this is about {target}"
        if self.consumer not in consumers:
            return f"that run was of {self.spec or 'a consumer'} with other bytes than these files have"
        return None

    def prove(self, finding: Finding, consumer: str, target: str | None) -> bool:
        """Whether the run proved this finding's very edits, of the same consumer files on the same target."""
        if finding.fix is None or not self.edits or (consumer, target) != (self.consumer, self.target):
            return False
        wanted = frozenset(finding.fix.edits)
        return any(wanted <= proven for proven in self.edits)


def load_proofs(path: Path) -> Proofs:
    """The proofs in a results file of ``validate``; raises SourceError (usage) where it is none."""
    try:
        results = msgspec.json.decode(path.read_bytes(), type=_Results)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise usage(f"{path}: not a results file of validate: {error}") from error
    if results.schema != SCHEMA:
        raise usage(f"{path}: not a results file of this version ({SCHEMA})")
    proven = {name for name, verdict in results.verdicts.fixes.items() if _is_proof(verdict)}
    plan = results.plan
    return Proofs(
        plan.consumer.sha256,
        plan.provider.version,
        tuple(frozenset(fix.edits) for fix in plan.fixes if fix.id in proven),
        plan.consumer.spec,
    )


def _is_proof(verdict: _Verdict) -> bool:
    return bool(verdict.necessary) and verdict.sufficient is not False and not verdict.harmful
