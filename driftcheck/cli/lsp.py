"""``driftcheck lsp``: serves over standard input and output."""

from __future__ import annotations

from typing import Any

import click

from driftcheck.cli.asking import asking_options, request_of
from driftcheck.cli.errors import UsageProblem


@click.command(name="lsp")
@asking_options
def command(**asking: Any) -> None:
    """A language server on standard input and output: diagnostics, fixes and hover in an editor.

    The options say what files are checked against, where their configuration does not.
    """
    request = request_of((), asking)
    try:
        from driftcheck.servers.lsp import make_server
    except ModuleNotFoundError as error:
        raise UsageProblem(f"{error.name} is not installed: pip install 'driftcheck[lsp]'") from error
    make_server(request).start_io()
