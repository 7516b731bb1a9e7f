"""The one error that opening sources raises."""

from __future__ import annotations

USAGE = 2
UNRESOLVED = 3


class SourceError(Exception):
    """Sources could not be opened.

    The message is one line that says what to do; ``exit_status`` is 2 where the words given are
    wrong (usage) and 3 where they are right but cannot be resolved.
    """

    def __init__(self, message: str, exit_status: int = UNRESOLVED) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_status = exit_status


def usage(message: str) -> SourceError:
    """A SourceError about what was written on the command line."""
    return SourceError(message, USAGE)
