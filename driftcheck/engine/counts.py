"""How much was found, in numbers: the report's summary."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.model import Finding


def counted(findings: Iterable[Finding]) -> dict[str, int | str]:
    """How many findings there are of each severity; of those that only known-good had, how many in all."""
    counts: dict[str, int | str] = {}
    for finding in findings:
        kind = "fixed" if finding.status == "fixed" else finding.severity
        counts[kind] = int(counts.get(kind, 0)) + 1
    return counts
