"""What a finding is known by from run to run: never its line number, which any edit above it changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable

from driftcheck.model import Finding

LineOf = Callable[[str, int], str | None]
"""A consumer file's path and a line's number, from 1; the line, or None where it cannot be read."""

Key = tuple[str, str, str, str]
"""Code, path, qualified symbol and normalised line."""


def key_of(finding: Finding, line_of: LineOf) -> Key:
    """What a finding shares with the same finding of another run."""
    return finding.code, finding.path, finding.symbol, normalised(line_of(finding.path, finding.line) or "")


def normalised(line: str) -> str:
    """A source line with its indentation and the width of its blanks set aside."""
    return " ".join(line.split())


def fingerprints(findings: Iterable[Finding], line_of: LineOf) -> list[str]:
    """A digest for each finding, unique in the run: of several with one key the later ones are numbered."""
    seen: Counter[Key] = Counter()
    found: list[str] = []
    for finding in findings:
        key = key_of(finding, line_of)
        text = "\0".join((*key, str(seen[key])))
        seen[key] += 1
        found.append(hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32])
    return found
