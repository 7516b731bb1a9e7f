"""Repairing: apply fixes in memory, check the result again, and take back what did not help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from driftcheck.fixes import EditError, apply_edits, clash
from driftcheck.index.source import Source, SourceFault
from driftcheck.model import Edit, Finding

Recheck = Callable[[Mapping[str, bytes]], Sequence[Finding]]
"""The findings with some of the consumer's files replaced, by path from the import root."""

UNCOVERING = frozenset({"DC101", "DC102", "DC105"})
"""Codes whose repair makes names mean something again, so that other defects can come to light."""
MAX_ROUNDS = 8
"""A repair may bring the next one into reach; a consumer that needs more rounds than this keeps the rest."""

_Identity = tuple[str, str, str]


@dataclass(frozen=True)
class RolledBack:
    """A finding whose fix was tried and taken back, and why."""

    finding: Finding
    reason: str


@dataclass
class Repaired:
    """What a repair did. ``files`` maps paths to new contents; ``left`` are the findings of the result."""

    files: dict[str, bytes] = field(default_factory=dict)
    applied: list[Finding] = field(default_factory=list)
    rolled_back: list[RolledBack] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _Repair:
    """One fix with the findings that it is for."""

    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]

    @property
    def identity(self) -> object:
        """What stays of it when other repairs move its lines."""
        texts = tuple((edit.path, edit.text) for edit in self.edits)
        return texts, tuple(_identity(finding) for finding in self.findings)


def repair(recheck: Recheck, read: Callable[[str], bytes], wanted: Callable[[Finding], bool]) -> Repaired:
    """Applies the fixes that are wanted until none is left, each kept only if it does what it is for.

    A fix is taken back if its finding is still there afterwards, or if one that was not there before
    appears; repaired imports may bring other defects to light, so of theirs only the edited lines count.
    Nothing is written.
    """
    done = Repaired(left=list(recheck({})))
    refused: set[object] = set()
    for _ in range(MAX_ROUNDS):
        batch = _batch(done.left, wanted, refused)
        if not batch:
            break
        _take(batch, done, recheck, read, refused)
    return done


def _batch(
    findings: Iterable[Finding], wanted: Callable[[Finding], bool], refused: set[object]
) -> list[_Repair]:
    """Fixes that do not get in each other's way: those of imports first, alone."""
    groups: dict[tuple[Edit, ...], list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None and finding.fix.edits and wanted(finding) and finding.status != "fixed":
            groups.setdefault(finding.fix.edits, []).append(finding)
    repairs = [_Repair(edits, tuple(group)) for edits, group in groups.items()]
    repairs = [one for one in repairs if one.identity not in refused]
    first = [one for one in repairs if _uncovers(one)]
    taken: list[Edit] = []
    chosen: list[_Repair] = []
    for one in first or repairs:
        if not clash(one.edits, taken):
            chosen.append(one)
            taken += one.edits
    return chosen


def _uncovers(one: _Repair) -> bool:
    return any(finding.code in UNCOVERING for finding in one.findings)


def _take(
    batch: Sequence[_Repair],
    done: Repaired,
    recheck: Recheck,
    read: Callable[[str], bytes],
    refused: set[object],
) -> None:
    """Takes the whole batch if it does what it is for; else its halves, one after the other."""
    try:
        files = _edited(batch, done, read)
        found = list(recheck(files))
        reason = _objection(batch, done.left, found)
    except EditError as error:
        found, reason, files = [], str(error), {}
    if not reason:
        done.files, done.left = files, found
        done.applied += [finding for one in batch for finding in one.findings]
        return
    if len(batch) == 1:
        refused.add(batch[0].identity)
        done.rolled_back += [RolledBack(finding, reason) for finding in batch[0].findings]
        return
    middle = len(batch) // 2
    _take(batch[:middle], done, recheck, read, refused)
    # Lines have moved if the first half stayed: the second is planned anew in the next round.
    if not any(one.findings[0] in done.applied for one in batch[:middle]):
        _take(batch[middle:], done, recheck, read, refused)


def _edited(batch: Iterable[_Repair], done: Repaired, read: Callable[[str], bytes]) -> dict[str, bytes]:
    edits: dict[str, list[Edit]] = {}
    for one in batch:
        for edit in one.edits:
            edits.setdefault(edit.path, []).append(edit)
    changed: dict[str, bytes] = {}
    for path, some in edits.items():
        before = done.files[path] if path in done.files else read(path)
        changed[path] = apply_edits(before, some)
        if not _parses(path, changed[path]) and _parses(path, before):
            raise EditError(f"{path} would not parse any more")
    return {**done.files, **changed}


def _parses(path: str, data: bytes) -> bool:
    try:
        return bool(Source(path, data).tree)
    except SourceFault:
        return False


def _objection(batch: Sequence[_Repair], before: Iterable[Finding], after: Sequence[Finding]) -> str:
    """Why the fixes must be taken back; empty where they did what they are for."""
    had, have = _counted(before), _counted(after)
    for one in batch:
        for finding in one.findings:
            key = _identity(finding)
            meant = sum(_identity(other) == key for each in batch for other in each.findings)
            if have[key] > had[key] - meant:
                return "the finding is still there afterwards"
    new = [finding for finding in after if have[_identity(finding)] > had[_identity(finding)]]
    if any(_uncovers(one) for one in batch):
        new = [finding for finding in new if _touched(finding, batch)]
    new = [
        f for f in new if f.confidence != "possible" and f.status != "fixed" and not f.code.startswith("DC9")
    ]
    if new:
        return f"it would cause {new[0].code} in line {new[0].line}: {new[0].message}"
    return ""


def _touched(finding: Finding, batch: Iterable[_Repair]) -> bool:
    """Whether a finding lies on a line that some edit makes, as far as others leave lines in their place."""
    return any(
        edit.path == finding.path
        and edit.line <= finding.line <= max(edit.end_line, edit.line + edit.text.count("\n"))
        for one in batch
        for edit in one.edits
    )


def _counted(findings: Iterable[Finding]) -> Counter[_Identity]:
    return Counter(_identity(finding) for finding in findings if finding.status != "fixed")


def _identity(finding: Finding) -> _Identity:
    """What stays of a finding when lines move."""
    return finding.code, finding.path, finding.symbol
