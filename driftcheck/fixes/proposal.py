"""What a codemod is asked, what it proposes, and how sure that makes the fix."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from driftcheck.checks import Answer, View
from driftcheck.fixes.operations import Operation
from driftcheck.index.module import Module
from driftcheck.index.source import Source
from driftcheck.model.finding import Applicability
from driftcheck.uses import CallUse, Use

Style = Literal["shim", "gate"]


@dataclass(frozen=True)
class Job:
    """One break to repair. ``style``: the result is to work on known-good too, and how it is to choose."""

    use: Use
    answer: Answer
    view: View
    style: Style | None = None

    @property
    def before(self) -> View | None:
        """The known-good version's view."""
        return self.view.before

    @property
    def module(self) -> Module:
        """The consumer's module to be edited."""
        index = self.view.world.consumer
        module = index.module(index.module_name(self.answer.path))
        assert module is not None
        return module

    @property
    def source(self) -> Source:
        return self.module.source

    @property
    def earlier(self) -> Use | None:
        """The same use as known-good answers it."""
        found = self.before.uses.by_key.get(self.use.key, ()) if self.before is not None else ()
        return next((one for one in found if type(one) is type(self.use)), None)

    @property
    def earlier_call(self) -> CallUse | None:
        found = self.earlier
        return found if isinstance(found, CallUse) else None

    @property
    def call(self) -> ast.Call | None:
        """The call whose own arguments the break is about; None for a call through a string, and for none."""
        use = self.use
        return use.node if type(use) is CallUse and isinstance(use.node, ast.Call) else None


@dataclass(frozen=True)
class Proposal:
    """A repair in operations, with what it does in words.

    ``doubts``: each reason why the consumer may behave otherwise than it did on known-good.
    ``person``: why nobody but a person can decide it; its operations are then an illustration.
    """

    operations: tuple[Operation, ...]
    description: str
    doubts: tuple[str, ...] = ()
    person: str = ""


Codemod = Callable[[Job], Proposal | None]


def applicability(job: Job, proposal: Proposal) -> Applicability:
    """How sure a proposal is, from the finding and from what its making showed; never declared.

    ``safe``: the finding is certain, known-good was read, and nothing seen makes the behaviour differ from
    known-good's. ``unsafe``: a complete edit with static reasons only. ``display``: a person decides, as of
    what rests on more than one assumption.
    """
    if proposal.person or not proposal.operations or job.answer.confidence == "possible":
        return "display"
    if proposal.doubts or job.answer.confidence != "certain" or job.before is None:
        return "unsafe"
    return "safe"
