"""``driftcheck audit``: every release of a provider at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftcheck.cli import status
from driftcheck.cli.asking import words
from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.cli.outputs import PlainFile, write
from driftcheck.cli.saying import say
from driftcheck.cli.terminal import color_wanted, width_of

if TYPE_CHECKING:
    from driftcheck.queries.audit import AuditRequest
    from driftcheck.queries.structs import AuditReport

FORMATS = ("text", "json", "markdown", "html")


@click.command(name="audit")
@click.argument("consumer", default=".", metavar="[SPEC|PATH]")
@click.option("--provider", required=True, metavar="NAME", help="The library whose releases are asked about.")
@click.option("--from", "first", metavar="VERSION", help="The first release. [default: known-good]")
@click.option(
    "--to", "last", metavar="VERSION|PATH", help="The last release, or a source tree. [default: the newest]"
)
@click.option("--known-good", metavar="VERSION", help="The version the consumer works with: X, or none.")
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a self-contained HTML report."
)
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--output-file", type=PlainFile(), metavar="FILE", help="Write the report there.")
@click.option("--pre", is_flag=True, help="Pre-releases too.")
@click.option("--yanked", is_flag=True, help="Yanked releases too.")
@click.option("--all-uses", is_flag=True, help="In text and Markdown, also uses that hold on every release.")
@click.option("--show-possible", is_flag=True, help="Also what rests on more than one assumption.")
@click.option("--select", multiple=True, metavar="CODES", help="Only these checks: codes, groups, names.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these checks.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Nothing in files that match.")
@click.option("--rules", type=click.Path(path_type=Path), multiple=True, help="A further rules directory.")
@click.option("--config", type=click.Path(path_type=Path), help="The pyproject.toml to follow.")
@click.option("--isolated", is_flag=True, help="Follow no configuration file.")
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The interpreter whose environment installed names are looked up in.",
)
@click.option(
    "--include", type=click.Choice(["tests"]), multiple=True, help="What else of a project is checked."
)
@click.option(
    "--processes", type=click.IntRange(1), help="How many releases are examined at once. [default: 2]"
)
@click.option("--no-cache", is_flag=True, help="Set driftcheck's own caches aside; fetched sources stay.")
@click.option("--refresh", is_flag=True, help="Ask the package index for new releases now.")
@click.option("--no-contracts", is_flag=True, help="Only what follows from source, no facts from rules/.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--profile", is_flag=True, help="Print how long each stage took to standard error.")
@click.pass_context
def command(ctx: click.Context, **given: Any) -> None:
    """Every use on every release of a library: what holds, what breaks, since when.

    \b
    driftcheck audit speculators==0.3.0 --provider vllm --from 0.11.0 --to 0.33.0
    driftcheck audit . --provider vllm --html report.html

    Exits with 1 where something breaks on the last release.
    """
    from driftcheck.cli.progress import Progress
    from driftcheck.queries.audit import audit
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources.errors import USAGE, SourceError

    outputs = _outputs(given)
    with Progress() as progress:
        try:
            report = audit(_request(given), progress)
        except SourceError as error:
            kind = UsageProblem if error.exit_status == USAGE else NothingChecked
            raise kind(str(error)) from error
        except RulesError as error:
            raise UsageProblem(str(error)) from error
        progress("reporting")
        texts = [(_rendered(format_, report, path, given), path) for format_, path in outputs]
    for text, path in texts:
        write(text, path)
    if given["profile"]:
        for stage, seconds in progress.timings():
            say(f"{seconds:8.3f} s  {stage}")
    ctx.exit(status.FOUND if report.last_breaks and not given["exit_zero"] else status.CLEAN)


def _outputs(given: dict[str, Any]) -> list[tuple[str, Path | None]]:
    found: list[tuple[str, Path | None]] = [(str(given["output_format"]), given["output_file"])]
    if given["html"] is not None:
        found.append(("html", given["html"]))
    return found


def _request(given: dict[str, Any]) -> AuditRequest:
    from driftcheck.engine.config import Config, find_config, load_config
    from driftcheck.engine.options import CheckOptions
    from driftcheck.engine.policy import Overrides
    from driftcheck.engine.request import configured_known_good
    from driftcheck.queries.audit import AuditRequest
    from driftcheck.sources.errors import usage

    if given["isolated"]:
        config = Config()
    elif given["config"] is not None:
        loaded = load_config(given["config"].absolute())
        if loaded is None:
            raise usage(f"{given['config']}: no such file, or no [tool.driftcheck] in it")
        config = loaded
    else:
        place = Path(given["consumer"]).expanduser()
        config = find_config(place if place.exists() else Path.cwd())
    options = CheckOptions(
        no_contracts=given["no_contracts"] or not config.settings.contracts,
        rules_paths=(*config.rules, *(path.absolute() for path in given["rules"])),
    )
    known_good = given["known_good"] or configured_known_good(given["provider"], config)
    if known_good and known_good != "none":
        known_good = known_good.rpartition("==")[2]
    return AuditRequest(
        consumer=given["consumer"],
        provider=given["provider"],
        first=given["first"],
        last=given["last"],
        known_good=known_good,
        prereleases=given["pre"],
        yanked=given["yanked"],
        python=given["python"] or config.python,
        run_python=given["python"] is not None,
        include_tests="tests" in given["include"] or "tests" in config.settings.include,
        use_cache=not given["no_cache"],
        refresh=given["refresh"],
        options=options,
        config=config,
        wishes=Overrides(words(given["select"]), words(given["ignore"]), given["exclude"]),
        processes=given["processes"],
    )


def _rendered(format_: str, report: AuditReport, path: Path | None, given: dict[str, Any]) -> str:
    import msgspec

    if format_ == "json":
        return msgspec.json.format(msgspec.json.encode(report)).decode() + "\n"
    if format_ == "html":
        from driftcheck.report.audit_html import render as html

        return html(report)
    if format_ == "markdown":
        from driftcheck.report.audit_markdown import render as markdown

        return markdown(report, bool(given["all_uses"]), bool(given["show_possible"]))
    from driftcheck.report.audit_text import render as text

    stream = sys.stdout if path is None else None
    return text(
        report,
        width=None if stream is None else width_of(stream),
        color=stream is not None and color_wanted(stream),
        all_uses=bool(given["all_uses"]),
        possible=bool(given["show_possible"]),
    )
