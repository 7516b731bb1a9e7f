"""A baseline: findings that were there when it was written, and are let be.

One JSON object a line, sorted, so that two branches' baselines merge like any text. An entry is known
by code, path, symbol and normalised line; never by its line number.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from driftcheck.engine.identity import Key, LineOf, key_of
from driftcheck.model import Finding
from driftcheck.rulesdb import CodeInfo
from driftcheck.sources.errors import SourceError, usage

SCHEMA = "driftcheck/baseline/1"
STALE = "DC904"


class _Head(msgspec.Struct, frozen=True):
    schema: str


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: str
    path: str
    symbol: str
    line: str

    @property
    def key(self) -> Key:
        return self.code, self.path, self.symbol, self.line


@dataclass(frozen=True)
class Baseline:
    """A baseline file's entries, each with its line in the file."""

    path: Path
    entries: tuple[tuple[int, Key], ...]


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises SourceError where it is not there or not one."""
    try:
        if path.exists() and not path.is_file():  # a device would never end
            raise usage(f"the baseline {path} is no regular file")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise usage(f"no baseline at {path}: write one with --write-baseline {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise usage(f"cannot read the baseline {path}: {error}") from error
    return parse_baseline(path, text)


def parse_baseline(path: Path, text: str) -> Baseline:
    """The baseline that a text is. Raises SourceError naming the line."""
    lines = text.split("\n")
    try:
        head = msgspec.json.decode(lines[0], type=_Head)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise _bad(path, 1, f'expected {{"schema": "{SCHEMA}"}}: is this a baseline of driftcheck?') from None
    if head.schema != SCHEMA:
        raise _bad(path, 1, f"schema {head.schema!r}; this driftcheck reads {SCHEMA!r}")
    found: list[tuple[int, Key]] = []
    for number, line in enumerate(lines[1:], 2):
        if line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||")):
            raise _bad(path, number, "a merge conflict: keep the lines of both sides, or write it anew")
        if line.strip():
            try:
                found.append((number, msgspec.json.decode(line, type=_Entry).key))
            except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
                raise _bad(path, number, str(error)) from error
    return Baseline(path, tuple(found))


def baseline_text(findings: Iterable[Finding], line_of: LineOf) -> str:
    """The baseline that lets these findings be; what a version has repaired needs none."""
    keys = sorted(key_of(one, line_of) for one in findings if one.status != "fixed")
    rows = [f'{{"schema": "{SCHEMA}"}}']
    rows += [msgspec.json.encode(_Entry(code=c, path=p, symbol=s, line=t)).decode() for c, p, s, t in keys]
    return "\n".join([*rows, ""])


def write_baseline(path: Path, findings: Iterable[Finding], line_of: LineOf) -> None:
    """Write a baseline, whole or not at all. Raises SourceError where the disk does not allow it."""
    data = baseline_text(findings, line_of).encode("utf-8", "backslashreplace")
    try:
        handle, temporary = tempfile.mkstemp(prefix=".driftcheck-", dir=path.parent)
        try:
            with open(handle, "wb") as file:
                file.write(data)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise usage(f"cannot write the baseline {path}: {error.strerror or error}") from error


def apply_baseline(
    findings: Iterable[Finding],
    baseline: Baseline,
    line_of: LineOf,
    codes: Mapping[str, CodeInfo],
    concerns: Callable[[Key], bool],
    shown_path: str,
) -> tuple[list[Finding], int]:
    """The findings that are not in the baseline, and one DC904 for each entry that nothing meets any more.

    An entry lets one finding be. ``concerns`` says whether this run would have found an entry's
    finding; of others nothing can be said. Also returns how many findings the baseline held back.
    """
    left: dict[Key, list[int]] = {}
    for number, key in baseline.entries:
        left.setdefault(key, []).append(number)
    kept: list[Finding] = []
    held = 0
    for finding in findings:
        numbers = left.get(key_of(finding, line_of)) if finding.status != "fixed" else None
        if numbers:
            numbers.pop(0)
            held += 1
        else:
            kept.append(finding)
    info = codes.get(STALE)
    if info is not None:
        stale = [(number, key) for key, numbers in left.items() for number in numbers if concerns(key)]
        kept += [_stale(info, shown_path, number, key) for number, key in stale]
    return sorted(kept, key=lambda one: one.order), held


def _stale(info: CodeInfo, path: str, line: int, key: Key) -> Finding:
    code, where, symbol, _ = key
    about = f"{code} of {symbol} in {where}" if symbol else f"{code} in {where}"
    return Finding(
        code=info.code,
        name=info.name,
        severity=info.severity,
        confidence="certain",
        status="unknown",
        path=path,
        line=line,
        column=1,
        end_line=line,
        end_column=2,
        symbol=symbol,
        message=f"the baseline lets {about} be, which is not found any more: write the baseline anew",
    )


def _bad(path: Path, line: int, problem: str) -> SourceError:
    return usage(f"{path}:{line}: {problem}")
