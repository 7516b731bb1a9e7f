"""``fix``: a run whose fixes are applied in memory, checked again, and shown."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from driftcheck.engine.repair import Recheck, Repaired, repair
from driftcheck.engine.request import Request
from driftcheck.engine.work import Outcome, run
from driftcheck.fixes.proofs import Proofs, load_proofs
from driftcheck.model import Finding
from driftcheck.sources.errors import SourceError, usage

Progress = Callable[[str], None]


@dataclass
class Fixed:
    """What ``fix`` did, before anything is written."""

    repaired: Repaired
    outcome: Outcome
    originals: dict[str, bytes]
    recheck: Recheck
    warnings: list[str] = field(default_factory=list)
    allowed: frozenset[str] = frozenset({"safe"})
    unwritten: frozenset[str] = frozenset()

    def without(self, unwritten: frozenset[str]) -> Fixed:
        """What it comes to where these files could not be written; what is left is checked for anew.

        A fix of several files is done only if all of them were written. Raises what ``run`` raises.
        """
        files = {path: data for path, data in self.repaired.files.items() if path not in unwritten}
        applied = [
            one
            for one in self.repaired.applied
            if one.fix is not None and unwritten.isdisjoint(edit.path for edit in one.fix.edits)
        ]
        repaired = replace(self.repaired, files=files, applied=applied, left=list(self.recheck(files)))
        return replace(self, repaired=repaired, unwritten=unwritten)

    def place(self, path: str) -> Path | None:
        """The file on disk that a user may edit; None where there is none."""
        return self.outcome.places.locate(path)

    def read(self, path: str) -> bytes:
        """The file as it was checked."""
        return self.originals[path]

    def failing(self) -> list[Finding]:
        """The findings that are left and that ``check`` would fail for."""
        return [
            one
            for one in self.repaired.left
            if one.severity in ("error", "warning") and one.confidence != "possible" and one.status != "fixed"
        ]

    def diff(self) -> str:
        """All changes as one unified diff, paths as they are from here where the files are on disk."""
        pieces = []
        for path, after in sorted(self.repaired.files.items()):
            shown = self.shown(path)
            before = self.read(path)
            pieces.append(_unified(before, after, shown))
        return "".join(pieces)

    def shown(self, path: str) -> str:
        """A file's path as it is from here, where it is below the current directory."""
        place = self.place(path)
        if place is not None and place.is_relative_to(Path.cwd()):
            return place.relative_to(Path.cwd()).as_posix()
        return path

    def lines(self, would: bool) -> list[str]:
        """What was done, what was taken back and what is left, in words."""
        said = []
        for one in self.repaired.applied:
            assert one.fix is not None
            said.append(f"{one.path}:{one.line}: {one.code} {one.fix.applicability}: {one.fix.description}")
        for back in self.repaired.rolled_back:
            one = back.finding
            said.append(f"{one.path}:{one.line}: {one.code} not fixed: the fix was taken back, {back.reason}")
        said += self._left()
        count, files = len(self.repaired.applied), len(self.repaired.files)
        verb, left = "Would fix" if would else "Fixed", len(self.failing())
        said.append(
            f"{verb} {count} {_plural('drift', count)} in {files} {_plural('file', files)}; {left} left"
        )
        return said

    def _left(self) -> list[str]:
        taken_back = {(b.finding.code, b.finding.path, b.finding.symbol) for b in self.repaired.rolled_back}
        return [
            f"{one.path}:{one.line}: {one.code} left: {one.message}{self._why_left(one)}"
            for one in self.failing()
            if (one.code, one.path, one.symbol) not in taken_back
        ]

    def _why_left(self, one: Finding) -> str:
        if one.fix is None:
            return " (no fix is known)"
        if any(edit.path in self.unwritten for edit in one.fix.edits):
            return f" (its fix could not be written: {one.fix.description})"
        if one.fix.applicability == "display":
            return f" (a person decides: {one.fix.description})"
        if one.fix.applicability not in self.allowed:
            return f" (--unsafe-fixes would: {one.fix.description})"
        return ""


def fix(request: Request, unsafe: bool, proof: Path | None, progress: Progress = lambda stage: None) -> Fixed:
    """Applies the fixes of a request's findings in memory.

    With ``request.fix_style`` the result is checked against known-good too. Raises what ``run`` raises, and
    SourceError for a proof file that is none, or whose run was of other files or on another target.
    """
    proofs = load_proofs(proof) if proof is not None else Proofs()
    began = time.time()
    first = run(request, progress)
    if proof is not None:
        why = proofs.mismatch(first.places.digests(), first.report.target.version)
        if why is not None:
            raise usage(f"{proof}: {why}; validate these files on this target, or leave --proof out")
    originals: dict[str, bytes] = {}

    def read(path: str) -> bytes:
        if path not in originals:
            originals[path] = _unchanged(first, path, began)
        return originals[path]

    allowed = frozenset({"safe", "unsafe"} if unsafe else {"safe"})

    def recheck(files: Mapping[str, bytes]) -> Sequence[Finding]:
        if not files:
            return [*first.report.findings, *_on_kept(request, first, {}, progress)]
        progress("checking the result")
        laid = {
            place: data for path, data in files.items() if (place := first.places.origin(path)) is not None
        }
        found = run(replace(request, overlay=laid), progress).report.findings
        return [*found, *_on_kept(request, first, laid, progress)]

    def wanted(finding: Finding) -> bool:
        if finding.fix is None or finding.confidence == "possible":
            return False
        if finding.fix.applicability in allowed:
            return True
        if finding.fix.applicability != "unsafe" or not proofs.edits:
            return False
        return proofs.prove(finding, first.places.digest(finding.path), first.report.target.version)

    done = repair(recheck, read, wanted)
    return Fixed(done, first, originals, recheck, list(first.warnings), allowed)


def _unchanged(outcome: Outcome, path: str, began: float) -> bytes:
    """A file's bytes, as they were checked. Raises SourceError where it has been written since."""
    place = outcome.places.locate(path)
    try:
        data = outcome.read(path)
        if place is not None and place.stat().st_mtime > began:
            raise SourceError(f"{path} changed while it was checked; run again")
    except OSError as error:
        raise SourceError(f"{path} cannot be read any more: {error.strerror or error}") from error
    return data


def _on_kept(
    request: Request, first: Outcome, laid: Mapping[Path, bytes], progress: Progress
) -> list[Finding]:
    """With a version to keep: what breaks there, told apart from the target's by its symbol."""
    import msgspec

    kept = first.report.known_good
    if request.fix_style is None or kept is None:
        return []
    back = replace(request, against=kept.spec, known_good="none", fix_style=None, overlay=laid)
    found = run(back, progress).report.findings
    return [msgspec.structs.replace(one, symbol=f"{one.symbol} on {kept.version}", fix=None) for one in found]


def _unified(before: bytes, after: bytes, path: str) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), f"a/{path}", f"b/{path}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(data: bytes) -> list[str]:
    """A file's lines as diffs count them: ended by a newline, by nothing else."""
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode("utf-8", "surrogateescape"))


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
