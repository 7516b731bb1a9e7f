"""``driftcheck check``: what of a consumer's usage breaks on a version of a provider."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from driftcheck.cli import status
from driftcheck.cli.asking import asking_options, request_of, words
from driftcheck.cli.errors import UsageProblem
from driftcheck.cli.outputs import Output, outputs_of, write
from driftcheck.cli.saying import say
from driftcheck.cli.terminal import color_wanted, width_of
from driftcheck.model import Report
from driftcheck.report import FORMATS, Context, render

if TYPE_CHECKING:
    from driftcheck.cli.failing import Failing
    from driftcheck.engine.work import Outcome
    from driftcheck.rulesdb.texts import RuleText


@click.command(name="check")
@click.argument("consumers", nargs=-1, metavar="[SPEC|PATHS]...")
@asking_options
@click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--output-file",
    "output_files",
    multiple=True,
    metavar="[FORMAT:]FILE",
    help="FILE: write the report there instead of standard output. FORMAT:FILE: write it there in that "
    "format besides; as often as wanted.",
)
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), help="Write what is found now as a baseline."
)
@click.option(
    "--ranges",
    is_flag=True,
    help="Also look at every release that the consumer's metadata admits (DC501): that takes a while.",
)
@click.option("--show-possible", is_flag=True, help="Also what rests on more than one assumption.")
@click.option(
    "--fail-on",
    multiple=True,
    metavar="SEVERITY|CODES",
    help="What to exit with 1 for: a severity and above, or checks. [default: warning]",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--profile", is_flag=True, help="Print how long each stage took to standard error.")
@click.pass_context
def command(
    ctx: click.Context,
    consumers: tuple[str, ...],
    output_format: str,
    output_files: tuple[str, ...],
    write_baseline: Path | None,
    ranges: bool,
    show_possible: bool,
    fail_on: tuple[str, ...],
    exit_zero: bool,
    profile: bool,
    **asking: Any,
) -> None:
    """What of your usage of a library breaks on that version.

    The consumer is a path, an installed name or a release (name==X); the current directory by default.

    \b
    driftcheck check speculators==0.3.0 --against vllm==0.16.0
    driftcheck check src/ --against vllm --known-good 0.11.0
    driftcheck check src/ --output-file sarif:drift.sarif --output-file junit:drift.xml
    """
    # Everything that reads code is imported only here: --help needs none of it.
    from driftcheck.cli.progress import Progress
    from driftcheck.cli.work import run

    outputs = outputs_of(output_format, output_files)
    request = replace(request_of(consumers, asking), ranges=ranges)
    if write_baseline is not None:
        if request.since is not None or request.staged:
            raise UsageProblem("--write-baseline is of everything: drop --since and --staged")
        request = replace(request, use_baseline=False)
    with Progress() as progress:
        outcome = run(request, progress)
        progress("reporting")
        report, hidden = _without_possible(
            outcome.report, show_possible or outcome.config.settings.show_possible
        )
        failing = _failing(words(fail_on) or outcome.config.settings.fail_on, outcome)
        texts = [(_rendered(one, report, outcome, hidden), one.path) for one in outputs]
    for warning in outcome.warnings:
        say(f"driftcheck: warning: {' '.join(warning.split())}")
    for text, path in texts:
        write(text, path)
    if profile:
        for stage, seconds in progress.timings():
            say(f"{seconds:8.3f} s  {stage}")
    if write_baseline is not None:
        _write_baseline(write_baseline, report, outcome)
        ctx.exit(status.CLEAN)
    ctx.exit(status.CLEAN if exit_zero or not any(map(failing.fails, report.findings)) else status.FOUND)


def _without_possible(report: Report, show: bool) -> tuple[Report, int]:
    from driftcheck.engine.steps import among

    if show:
        return report, 0
    findings = [one for one in report.findings if one.confidence != "possible"]
    hidden = sum(one.confidence == "possible" and one.status != "fixed" for one in report.findings)
    strikes = among(report.strikes, findings)
    return msgspec.structs.replace(report, findings=findings, strikes=strikes), hidden


def _rendered(output: Output, report: Report, outcome: Outcome, hidden: int) -> str:
    stream = sys.stdout if output.path is None else None
    context = Context(
        read=outcome.read,
        place=outcome.places.in_repository,
        width=None if stream is None else width_of(stream),
        color=stream is not None and color_wanted(stream),
        hints=_hints(report, outcome) if output.format in ("text", "markdown") else {},
        rules=_rules(report, outcome) if output.format == "sarif" else {},
        hidden=hidden,
        outside=outcome.outside,
    )
    return render(output.format, report, context)


def _hints(report: Report, outcome: Outcome) -> dict[str, str]:
    from driftcheck.rulesdb import RulesError
    from driftcheck.rulesdb.hints import load_hints

    codes = {one.code for one in report.findings if one.fix is None}
    if not codes:
        return {}
    try:
        return load_hints(codes, outcome.config.rules)
    except RulesError as error:
        raise UsageProblem(str(error)) from error


def _rules(report: Report, outcome: Outcome) -> dict[str, RuleText]:
    from driftcheck.rulesdb.texts import load_texts

    return load_texts((one.code for one in report.findings), outcome.config.rules)


def _failing(wishes: tuple[str, ...], outcome: Outcome) -> Failing:
    from driftcheck.cli.failing import SEVERITIES, Failing
    from driftcheck.engine.config import codes_for

    needed = any(word not in SEVERITIES for word in wishes)
    return Failing(wishes, codes_for(outcome.config) if needed else {})


def _write_baseline(path: Path, report: Report, outcome: Outcome) -> None:
    from driftcheck.engine.baseline import write_baseline
    from driftcheck.engine.lines import SourceLines
    from driftcheck.sources.errors import SourceError

    try:
        write_baseline(path.absolute(), report.findings, SourceLines(outcome.read).line)
    except SourceError as error:
        raise UsageProblem(str(error)) from error
    count = sum(one.status != "fixed" for one in report.findings)
    click.echo(f"driftcheck: {count} findings written to the baseline {path}", err=True)
