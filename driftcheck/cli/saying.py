"""Lines for people: whatever they quote of foreign files or names, they cannot steer a terminal."""

from __future__ import annotations

import click

from driftcheck.cli.errors import writing_stdout
from driftcheck.report.escape import visible


def say(line: str, err: bool = True) -> None:
    """Prints one line, on standard error unless told otherwise."""
    if err:
        click.echo(visible(line), err=True)
        return
    with writing_stdout():
        click.echo(visible(line))
