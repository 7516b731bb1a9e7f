"""``driftcheck check``: what of a consumer's usage breaks on a version of a provider."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from driftcheck.cli import status
from driftcheck.cli.errors import UsageProblem
from driftcheck.cli.terminal import color_wanted, width_of
from driftcheck.model import Report
from driftcheck.report import FORMATS, Context, render


@click.command(name="check")
@click.argument("consumers", nargs=-1, metavar="[SPEC|PATHS]...")
@click.option(
    "--against",
    required=True,
    metavar="SPEC",
    help="The provider version asked about: name==X, name (installed), or a path.",
)
@click.option(
    "--known-good",
    metavar="VERSION",
    help="The version the consumer works with: X, name==X, none. [default: what its metadata requires]",
)
@click.option(
    "--python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The interpreter whose environment installed names are looked up in.",
)
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report there instead of standard output.",
)
@click.option("--show-possible", is_flag=True, help="Also what rests on more than one assumption.")
@click.option(
    "--include",
    type=click.Choice(["tests"]),
    multiple=True,
    help="What of a project is checked besides the packages it installs: tests (and examples).",
)
@click.option("--no-cache", is_flag=True, help="Set driftcheck's own caches aside; fetched sources stay.")
@click.option("--refresh", is_flag=True, help="Ask the package index for new releases now.")
@click.option("--no-contracts", is_flag=True, help="Only what follows from source, no facts from rules/.")
@click.option("--profile", is_flag=True, help="Print how long each stage took to standard error.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.pass_context
def command(
    ctx: click.Context,
    consumers: tuple[str, ...],
    against: str,
    known_good: str | None,
    python: Path | None,
    output_format: str,
    output_file: Path | None,
    show_possible: bool,
    include: tuple[str, ...],
    no_cache: bool,
    refresh: bool,
    no_contracts: bool,
    profile: bool,
    exit_zero: bool,
) -> None:
    """What of your usage of a library breaks on that version.

    The consumer is a path, an installed name or a release (name==X); the current directory by default.

    \b
    driftcheck check speculators==0.3.0 --against vllm==0.16.0
    driftcheck check src/ --against vllm --known-good 0.11.0
    """
    # Everything that reads code is imported only here: --help needs none of it.
    from driftcheck.cli.progress import Progress
    from driftcheck.cli.work import Request, run

    request = Request(
        consumers=consumers or (".",),
        against=against,
        known_good=known_good,
        python=python,
        include_tests="tests" in include,
        use_cache=not no_cache,
        refresh=refresh,
        no_contracts=no_contracts,
    )
    with Progress() as progress:
        outcome = run(request, progress)
        progress("reporting")
        report, hidden = _without_possible(outcome.report, show_possible)
        stream = sys.stdout if output_file is None else None
        context = Context(
            read=outcome.read,
            width=None if stream is None else width_of(stream),
            color=stream is not None and color_wanted(stream),
            hints=_hints(report) if output_format == "text" else {},
            hidden=hidden,
        )
        text = render(output_format, report, context)
    for warning in outcome.warnings:
        click.echo(f"driftcheck: warning: {' '.join(warning.split())}", err=True)
    _write(text, output_file)
    if profile:
        for stage, seconds in progress.timings():
            click.echo(f"{seconds:8.3f} s  {stage}", err=True)
    ctx.exit(status.CLEAN if exit_zero else _status(report))


def _without_possible(report: Report, show: bool) -> tuple[Report, int]:
    if show:
        return report, 0
    findings = [one for one in report.findings if one.confidence != "possible"]
    return msgspec.structs.replace(report, findings=findings), len(report.findings) - len(findings)


def _hints(report: Report) -> dict[str, str]:
    from driftcheck.rulesdb import RulesError
    from driftcheck.rulesdb.hints import load_hints

    codes = {one.code for one in report.findings if one.fix is None}
    if not codes:
        return {}
    try:
        return load_hints(codes)
    except RulesError as error:
        raise UsageProblem(str(error)) from error


def _status(report: Report) -> int:
    failing = any(
        one.severity in ("error", "warning")
        and one.confidence in ("certain", "likely")
        and one.status != "fixed"
        for one in report.findings
    )
    return status.FOUND if failing else status.CLEAN


def _write(text: str, path: Path | None) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if path is not None:
        try:
            path.write_bytes(data)
        except OSError as error:
            raise UsageProblem(f"cannot write {path}: {error.strerror or error}") from error
        return
    encoding = (sys.stdout.encoding or "utf-8").lower()
    if encoding in ("utf-8", "utf8"):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        # Whatever the terminal's encoding lacks (an arrow, a name) must not end the run.
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False)
