"""``driftcheck mcp``: serves over standard input and output."""

from __future__ import annotations

from typing import Any

import click

from driftcheck.cli.asking import asking_options, request_of
from driftcheck.cli.errors import UsageProblem


@click.command(name="mcp")
@asking_options
def command(**asking: Any) -> None:
    """A Model Context Protocol server on standard input and output, with read-only tools.

    check, fix (as a diff), show and explain. The options are the defaults of their arguments.
    """
    request = request_of((), asking)
    try:
        from driftcheck.servers.mcp import serve
    except ModuleNotFoundError as error:
        raise UsageProblem(f"{error.name} is not installed: pip install 'driftcheck[mcp]'") from error
    serve(request)
