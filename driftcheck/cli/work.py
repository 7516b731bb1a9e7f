"""What a command does between its options and its report: the engine's run, its errors made exits."""

from __future__ import annotations

from collections.abc import Callable

from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.engine import work
from driftcheck.engine.work import Outcome, Request
from driftcheck.sources.errors import USAGE, SourceError

__all__ = ["Outcome", "Request", "run"]

Progress = Callable[[str], None]


def run(request: Request, progress: Progress) -> Outcome:
    """Answers the request.

    Raises UsageProblem for a request that cannot be meant, and NothingChecked where a tree cannot be
    had, holds no Python file, or none that can be read.
    """
    from driftcheck.rulesdb import RulesError

    try:
        return work.run(request, progress)
    except SourceError as error:
        kind = UsageProblem if error.exit_status == USAGE else NothingChecked
        raise kind(str(error)) from error
    except RulesError as error:
        raise UsageProblem(str(error)) from error
