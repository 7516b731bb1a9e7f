"""What a reporter is told besides the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driftcheck.rulesdb.texts import RuleText


def _unreadable(path: str) -> bytes:
    raise FileNotFoundError(path)


@dataclass(frozen=True)
class Context:
    """How and for whom a report is written.

    ``read`` gives a consumer file's bytes (OSError where it cannot). ``place`` gives a consumer
    file's path as the repository that is checked out here has it, for formats whose readers look
    there. ``width`` is the terminal's width; None means a file or a pipe, where no line is wrapped
    or cut. ``color`` says whether colour is wanted. ``hints`` maps a code to what to do where a
    finding has no fix, ``rules`` to the prose of its page. ``hidden`` counts findings that were left
    out of the report for their confidence; ``outside`` tells what else was left out, in words.
    """

    read: Callable[[str], bytes] = _unreadable
    place: Callable[[str], str] = str
    width: int | None = None
    color: bool = False
    hints: Mapping[str, str] = field(default_factory=dict)
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    hidden: int = 0
    outside: tuple[str, ...] = ()
