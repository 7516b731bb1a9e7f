"""``driftcheck impact``: the provider's side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from driftcheck.cli import status
from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.cli.outputs import PlainFile, write
from driftcheck.cli.terminal import color_wanted, width_of

BACKENDS = ("loky", "dask", "ray")


@click.command(name="impact")
@click.option("--provider", required=True, metavar="NAME", help="The library that changes.")
@click.option(
    "--from", "first", required=True, metavar="VERSION|PATH", help="The version that consumers work with."
)
@click.option(
    "--to", "last", required=True, metavar="VERSION|PATH", help="The version asked about, or a working tree."
)
@click.option(
    "--consumers",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Specs and paths, one a line.",
)
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default="loky",
    show_default=True,
    help="What runs in parallel: processes here, Dask, or Ray.",
)
@click.option(
    "--jobs", type=click.IntRange(1), default=2, show_default=True, help="How many consumers at once."
)
@click.option(
    "--address", metavar="ADDRESS", help="The scheduler of a Dask or Ray cluster. [default: a local one]"
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep each consumer's result there; a rerun resumes.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a self-contained HTML report."
)
@click.option(
    "--output-format", type=click.Choice(("text", "json", "html")), default="text", show_default=True
)
@click.option("--output-file", type=PlainFile(), metavar="FILE", help="Write the report there.")
@click.option("--show-possible", is_flag=True, help="Also what rests on more than one assumption.")
@click.option("--rules", type=click.Path(path_type=Path), multiple=True, help="A further rules directory.")
@click.option("--no-contracts", is_flag=True, help="Only what follows from source, no facts from rules/.")
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The interpreter whose environment installed names are looked up in.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.pass_context
def command(ctx: click.Context, **given: Any) -> None:
    """Which consumers a change of a library breaks, on which uses, by which change.

    \b
    driftcheck impact --provider vllm --from 0.32.0 --to 0.33.0 --consumers consumers.txt
    driftcheck impact --provider vllm --from 0.33.0 --to ../vllm --consumers consumers.txt

    Exits with 1 where a consumer breaks.
    """
    from driftcheck.cli.progress import Progress
    from driftcheck.engine.options import CheckOptions
    from driftcheck.queries.impact import ImpactRequest, impact, read_consumers
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources.errors import USAGE, SourceError

    with Progress() as progress:
        try:
            request = ImpactRequest(
                provider=given["provider"],
                first=given["first"],
                last=given["last"],
                consumers=read_consumers(given["consumers"]),
                results=given["results"],
                backend=given["backend"],
                jobs=given["jobs"],
                address=given["address"],
                python=given["python"],
                show_possible=given["show_possible"],
                options=CheckOptions(
                    no_contracts=given["no_contracts"],
                    rules_paths=tuple(path.absolute() for path in given["rules"]),
                ),
            )
            found = impact(request, progress)
        except SourceError as error:
            kind = UsageProblem if error.exit_status == USAGE else NothingChecked
            raise kind(str(error)) from error
        except RulesError as error:
            raise UsageProblem(str(error)) from error
    write(_rendered(given["output_format"], found, given["output_file"]), given["output_file"])
    if given["html"] is not None:
        write(_rendered("html", found, given["html"]), given["html"])
    if found.consumers and all(one.error is not None for one in found.consumers):
        raise NothingChecked(f"no consumer could be checked: {found.consumers[0].error}")
    ctx.exit(status.FOUND if found.breaks and not given["exit_zero"] else status.CLEAN)


def _rendered(format_: str, found: Any, path: Path | None) -> str:
    if format_ == "json":
        import msgspec

        return msgspec.json.format(msgspec.json.encode(found)).decode() + "\n"
    if format_ == "html":
        from driftcheck.report.impact_html import render as html

        return html(found)
    from driftcheck.report.impact_text import render as text

    stream = sys.stdout if path is None else None
    return text(found, width_of(stream) if stream else None, stream is not None and color_wanted(stream))
