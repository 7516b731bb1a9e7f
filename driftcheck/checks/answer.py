"""What a check is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from driftcheck.index.module import Module
from driftcheck.infer.world import World
from driftcheck.model import Evidence, Related, Span
from driftcheck.model.finding import Confidence, Severity
from driftcheck.uses import Use
from driftcheck.uses.collect import UNLESS, Uses


@dataclass(frozen=True)
class View:
    """One version: both trees, and what the consumer's interpretation met on it.

    ``before`` is the known-good version's, where the target is asked and there is one.
    """

    world: World
    uses: Uses
    before: View | None = None

    @property
    def version(self) -> str:
        tree = self.world.provider.tree
        return tree.version or tree.spec

    def evidence(self, module: Module, line: int) -> Evidence:
        """A line of the provider as evidence."""
        return Evidence(self.version, module.path, line, module.source.line(line).strip())


def taken_for_granted(use: Use) -> str:
    """The library that a handler around the use would fall back on, said as an assumption; else empty."""
    libraries = sorted(name.removeprefix(UNLESS) for name in use.caught if name.startswith(UNLESS))
    return f", taking {' and '.join(libraries)} not to be installed either" if libraries else ""


@dataclass(frozen=True)
class Answer:
    """One use breaks on one version. ``subject`` tells two defects of one place apart.

    Answers with one ``cause`` (a package that is gone) are told once, the later ones as related places.
    ``replacement`` is the name that took the place of what is gone, where one is known: fixes use it.
    ``contract`` is the id of the contract that the answer rests on.
    """

    code: str
    path: str
    span: Span
    symbol: str
    message: str
    subject: str = ""
    severity: Severity | None = None
    confidence: Confidence = "certain"
    evidence: tuple[Evidence, ...] = ()
    related: tuple[Related, ...] = ()
    cause: str = ""
    replacement: str = ""
    contract: str | None = None

    @property
    def key(self) -> tuple[str, str, Span, str]:
        return (self.code, self.path, self.span, self.subject)


Check = Callable[[Use, View], Iterable[Answer]]
PairCheck = Callable[[Use, Use, View, View], Iterable[Answer]]
"""The use on the target and on known-good, then the two views in that order."""
