"""``driftcheck show``: one symbol of a library."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from driftcheck.cli import status
from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.cli.outputs import PlainFile, write
from driftcheck.cli.terminal import color_wanted, width_of


@click.command(name="show")
@click.argument("symbol")
@click.option(
    "--in", "spec", required=True, metavar="SPEC", help="The version: name==X, name (installed), or a path."
)
@click.option("--from", "first", metavar="VERSION", help="Its history from this release.")
@click.option("--to", "last", metavar="VERSION", help="Its history up to this release.")
@click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--output-file", type=PlainFile(), metavar="FILE", help="Write it there.")
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The interpreter whose environment installed names are looked up in.",
)
@click.option("--refresh", is_flag=True, help="Ask the package index for new releases now.")
@click.pass_context
def command(
    ctx: click.Context,
    symbol: str,
    spec: str,
    first: str | None,
    last: str | None,
    output_format: str,
    output_file: Path | None,
    python: Path | None,
    refresh: bool,
) -> None:
    """Where a symbol is, what it is, who sets and reads it, and how it changed.

    \b
    driftcheck show vllm.config.SchedulerConfig.async_scheduling --in vllm==0.16.0
    driftcheck show vllm.v1.request.Request --in vllm==0.16.0 --from 0.11.0 --to 0.33.0

    Exits with 1 where there is no such symbol in that version.
    """
    from driftcheck.cli.progress import Progress
    from driftcheck.queries.show import show
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources.errors import USAGE, SourceError

    with Progress() as progress:
        try:
            shown = show(symbol, spec, first, last, python, refresh, progress=progress)
        except SourceError as error:
            kind = UsageProblem if error.exit_status == USAGE else NothingChecked
            raise kind(str(error)) from error
        except RulesError as error:
            raise UsageProblem(str(error)) from error
    if output_format == "json":
        import msgspec

        text = msgspec.json.format(msgspec.json.encode(shown)).decode() + "\n"
    else:
        from driftcheck.report.show_text import render

        stream = sys.stdout if output_file is None else None
        text = render(
            shown, width_of(stream) if stream else None, stream is not None and color_wanted(stream)
        )
    write(text, output_file)
    ctx.exit(status.CLEAN if shown.found else status.FOUND)
