"""What a reporter is told besides the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


def _unreadable(path: str) -> bytes:
    raise FileNotFoundError(path)


@dataclass(frozen=True)
class Context:
    """How and for whom a report is written.

    ``read`` gives a consumer file's bytes (OSError where it cannot). ``width`` is the terminal's
    width; None means a file or a pipe, where no line is wrapped or cut. ``color`` says whether
    colour is wanted. ``hints`` maps a code to what to do where a finding has no fix. ``hidden``
    counts findings that were left out of the report for their confidence.
    """

    read: Callable[[str], bytes] = _unreadable
    width: int | None = None
    color: bool = False
    hints: Mapping[str, str] = field(default_factory=dict)
    hidden: int = 0
