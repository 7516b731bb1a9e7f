"""What a command raises to stop with one line on standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import click

from driftcheck.cli import status


class UsageProblem(click.ClickException):
    """What was asked cannot be meant."""

    exit_code = status.USAGE


class NothingChecked(click.ClickException):
    """What was asked could not be answered."""

    exit_code = status.UNCHECKED


@contextlib.contextmanager
def writing_stdout() -> Iterator[None]:
    """Around writing to standard output: raises UsageProblem where that cannot be written.

    BrokenPipeError goes through: a reader that went away is no problem.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_stdout()
        raise UsageProblem(f"cannot write standard output: {error.strerror or error}") from error


def drop_stdout() -> None:
    """Lets what is still buffered for standard output go nowhere, also when Python flushes at its end."""
    # Standard output in memory has no descriptor, and nothing to drop.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
