"""Runs the command line: every way to end becomes an exit status, and every error one line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

import click

from driftcheck.cli import status
from driftcheck.cli.app import app
from driftcheck.cli.errors import drop_stdout, writing_stdout

RARELY = 50_000
"""New objects after which the garbage collector looks at them, where Python's own number is 700."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command (``sys.argv`` by default) and returns its exit status; raises nothing.

    ``DRIFTCHECK_TRACEBACK=1`` lets an unforeseen error through with its traceback.
    """
    if arguments is None:
        # What is imported stays: to look through it again and again for garbage is time for nothing.
        gc.set_threshold(RARELY)
    try:
        return _run(arguments)
    finally:
        if arguments is None:
            # The process ends: nobody needs its trees collected first, which takes seconds after a large run.
            gc.freeze()


def _run(arguments: Sequence[str] | None) -> int:
    try:
        _refuse_empty(sys.argv[1:] if arguments is None else list(arguments))
        code = app.main(
            args=None if arguments is None else list(arguments), prog_name="driftcheck", standalone_mode=False
        )
        with writing_stdout():
            sys.stdout.flush()
        return code if isinstance(code, int) else status.CLEAN
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return status.USAGE
    except click.Abort:
        return status.INTERRUPTED
    except KeyboardInterrupt:
        return status.INTERRUPTED
    except click.ClickException as error:
        _tell(error.format_message())
        return error.exit_code
    except BrokenPipeError:
        # The reader went away (`| head`): nobody is left to tell, also not when Python flushes.
        drop_stdout()
        return status.CLEAN
    except Exception as error:
        if os.environ.get("DRIFTCHECK_TRACEBACK"):
            raise
        _tell(
            f"internal error: {type(error).__name__}: {error} "
            "(DRIFTCHECK_TRACEBACK=1 shows where; please report it)"
        )
        return status.UNCHECKED


def _refuse_empty(arguments: Sequence[str]) -> None:
    """Raises UsageError for an argument without a character: a variable that nobody set, never meant as given."""
    for number, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if option.startswith("--") and equals and not value.strip():
            raise click.UsageError(f"{option} is empty")
        if not argument.strip():
            before = arguments[number - 1] if number else ""
            raise click.UsageError(f"{before} is empty" if before.startswith("-") else "an argument is empty")


def _tell(message: str) -> None:
    from driftcheck.cli.saying import say

    say(f"driftcheck: error: {' '.join(message.split())}")
