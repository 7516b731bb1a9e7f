"""What a command raises to stop with one line on standard error."""

from __future__ import annotations

import click

from driftcheck.cli import status


class UsageProblem(click.ClickException):
    """What was asked cannot be meant."""

    exit_code = status.USAGE


class NothingChecked(click.ClickException):
    """What was asked could not be answered."""

    exit_code = status.UNCHECKED
