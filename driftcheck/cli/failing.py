"""Which findings make ``check`` exit with 1."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.cli.errors import UsageProblem
from driftcheck.engine.selectors import prefix_of, suggestion
from driftcheck.model import Finding
from driftcheck.rulesdb import CodeInfo

SEVERITIES = ("error", "warning", "note")


class Failing:
    """The wishes of ``--fail-on``: a severity means that and above, a code or group those findings.

    Raises UsageProblem for a word that is neither.
    """

    def __init__(self, words: Iterable[str], codes: dict[str, CodeInfo]) -> None:
        self._severities: set[str] = set()
        self._prefixes: list[str] = []
        for word in words:
            if word in SEVERITIES:
                self._severities.update(SEVERITIES[: SEVERITIES.index(word) + 1])
                continue
            prefix = prefix_of(word, codes)
            if prefix is None:
                raise UsageProblem(
                    f"--fail-on {word}: neither a severity ({', '.join(SEVERITIES)}) nor a check; "
                    f"{suggestion(word, codes)}"
                )
            self._prefixes.append(prefix)

    def fails(self, finding: Finding) -> bool:
        """Whether the finding fails the run; never one that is only possible, or is repaired."""
        if finding.confidence not in ("certain", "likely") or finding.status == "fixed":
            return False
        return finding.severity in self._severities or finding.code.startswith(tuple(self._prefixes))
