"""``driftcheck validate``: runs the consumer on the real provider and lets the run decide."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftcheck.cli import status
from driftcheck.cli.errors import NothingChecked, UsageProblem

if TYPE_CHECKING:
    from driftcheck.validate.portable.carry_out import Options
    from driftcheck.validate.portable.plan import Plan
    from driftcheck.validate.portable.results import Results
    from driftcheck.validate.scenario import Scenario


@click.group(name="validate")
def command() -> None:
    """Runs the consumer on the real provider, before and after the fixes, and lets the run decide."""


def _planned(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that decide what is run."""
    options = [
        click.option(
            "--consumer", required=True, metavar="SPEC", help="name==X, a path, or an installed name."
        ),
        click.option("--against", required=True, metavar="SPEC", help="The provider version that is run."),
        click.option("--known-good", metavar="VERSION", help="As for check."),
        click.option(
            "--edits",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="A JSON file with your own fixes, instead of those of the analysis.",
        ),
        click.option(
            "--report",
            "report_file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="The findings of a check's JSON report, instead of checking now.",
        ),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="NAME=VALUE",
            help="Change one of the scenario's parameters.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def _carried(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that decide how it is run."""
    options = [
        click.option("--device", default="cpu", show_default=True, help="cpu or cuda."),
        click.option(
            "--stages",
            default="original,all,chain,ablation,alternatives",
            show_default=True,
            help="What is run, comma-separated.",
        ),
        click.option(
            "--results",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Written after every attempt; a rerun with the same file goes on where it stopped.",
        ),
        click.option(
            "--budget", type=click.FloatRange(min=0), help="Seconds after which nothing more is begun."
        ),
        click.option(
            "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Side by side."
        ),
        click.option("--time-limit", type=click.FloatRange(min=1), help="Seconds an attempt may take."),
        click.option("--known-good-python", type=click.Path(exists=True, path_type=Path)),
        click.option("--any-version", is_flag=True, help="Run whatever version of the provider is there."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command.command()
@click.argument("scenario")
@_planned
@click.option(
    "--python",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="The interpreter, or the environment, that has the provider and what the consumer needs.",
)
@_carried
def run(scenario: str, python: Path, **given: Any) -> int:
    """Runs SCENARIO (a name, or a .toml file) here and says what the run shows."""
    prepared = _prepare(scenario, given)
    return _carry_out(prepared, _options(python, given))


@command.command()
@click.argument("scenario")
@_planned
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path))
def pack(scenario: str, out: Path, **given: Any) -> int:
    """Packs SCENARIO, the consumer and its fixes into one archive that runs with Python 3.10 alone."""
    from driftcheck.validate.pack import pack as write

    prepared = _prepare(scenario, given)
    try:
        write(prepared.plan, prepared.consumer, prepared.drivers, out)
    except OSError as error:
        raise UsageProblem(f"{out}: {error.strerror}") from error
    plan = prepared.plan
    click.echo(f"{out}: {out.stat().st_size >> 10} KiB, {len(plan.claims)} findings, {len(plan.fixes)} fixes")
    click.echo(f"run it there: python {out.name} --device cuda --results results.json")
    return status.CLEAN


@command.command()
@click.argument("results", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Also as a page, the chain as a picture."
)
def report(results: Path, html: Path | None) -> int:
    """Shows a results file; the verdicts are judged anew from its attempts."""
    from driftcheck.validate.html import html_report
    from driftcheck.validate.portable.results import ResultsError, load_results
    from driftcheck.validate.portable.summary import exit_status, text_summary
    from driftcheck.validate.portable.verdicts import replay

    try:
        loaded = load_results(results)
    except (OSError, ResultsError) as error:
        raise UsageProblem(str(error)) from error
    replay(loaded)
    click.echo(text_summary(loaded), nl=False)
    if html is not None:
        try:
            html.write_text(html_report(loaded), encoding="utf-8")
        except OSError as error:
            raise UsageProblem(f"{html}: {error.strerror}") from error
    return exit_status(loaded)


@command.command(name="pytest")
@_planned
@click.option("--python", required=True, type=click.Path(exists=True, path_type=Path))
@_carried
@click.option("--module", help="What the provider is imported as. [default: its name]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def pytest_command(python: Path, arguments: tuple[str, ...], module: str | None, **given: Any) -> int:
    """Runs your own tests as the scenario: everything after -- goes to pytest."""
    from driftcheck.validate.own_tests import own_tests_scenario

    prepared = _prepare(lambda target: own_tests_scenario(target, module, arguments), given)
    return _carry_out(prepared, _options(python, given))


@command.command()
@click.argument("provider")
@click.option("--into", required=True, type=click.Path(path_type=Path), help="The directory to make.")
@click.option(
    "--python", type=click.Path(exists=True, path_type=Path), help="The interpreter to build it on."
)
@click.option("--with", "extra", multiple=True, metavar="REQUIREMENT", help="Something to install besides.")
@click.option("--without", multiple=True, metavar="NAME", help="A requirement of the provider to leave out.")
@click.option("--tool", type=click.Choice(["auto", "pip", "uv"]), default="auto", show_default=True)
def env(
    provider: str,
    into: Path,
    python: Path | None,
    extra: tuple[str, ...],
    without: tuple[str, ...],
    tool: str,
) -> int:
    """Makes an environment with PROVIDER (name==X) in it, by pip or uv."""
    from driftcheck.validate.errors import ValidateError
    from driftcheck.validate.making import make_environment

    try:
        made = make_environment(provider, into, python, extra, without, tool, click.echo)
    except ValidateError as error:
        raise NothingChecked(str(error)) from error
    click.echo(f"use it: --python {made}")
    return status.CLEAN


@dataclass
class _Prepared:
    """A plan with the files it needs."""

    plan: Plan
    consumer: dict[str, bytes]
    drivers: dict[str, bytes]


def _prepare(scenario: str | Callable[[Any], Scenario], given: dict[str, Any]) -> _Prepared:
    from driftcheck.cli.progress import Progress
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources import SourceError, open_tree
    from driftcheck.validate.bench import drivers_of
    from driftcheck.validate.edits_file import load_edits
    from driftcheck.validate.errors import ValidateError
    from driftcheck.validate.planning import consumer_files, make_plan
    from driftcheck.validate.scenario import find_sanity, find_scenario

    try:
        found = find_scenario(scenario) if isinstance(scenario, str) else None
        with Progress() as progress:
            report = _report(given, progress)
            consumer = open_tree(given["consumer"], role="consumer", progress=progress)
        if found is None:
            assert not isinstance(scenario, str)
            found = scenario(report)
        for setting in given["settings"]:
            found.set(setting)
        edits = load_edits(given["edits"]) if given["edits"] else None
        plan = make_plan(report, consumer, found, find_sanity(found), edits, _command())
        return _Prepared(plan, consumer_files(consumer), drivers_of(found))
    except (ValidateError, RulesError) as error:
        raise UsageProblem(str(error)) from error
    except SourceError as error:
        raise NothingChecked(str(error)) from error


def _report(given: dict[str, Any], progress: Any) -> Any:
    import msgspec

    from driftcheck.cli.work import Request
    from driftcheck.cli.work import run as check
    from driftcheck.model import Report

    if given["report_file"]:
        try:
            return msgspec.json.decode(given["report_file"].read_bytes(), type=Report)
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            raise UsageProblem(f"{given['report_file']}: {error}") from error
    return check(Request((given["consumer"],), given["against"], given["known_good"]), progress).report


def _command() -> str:
    """The command as it was given; of an absolute path only the last part: the rest is this machine's."""
    words = []
    for word in sys.argv[1:]:
        path = Path(word)
        words.append(f"…/{path.name}" if path.is_absolute() else word)
    return shlex.join(["driftcheck", *words])


def _interpreter(python: Path) -> Path:
    """The interpreter that a path means: itself, or that of the environment it names."""
    if not python.is_dir():
        return python.absolute()
    for inside in ("bin/python", "Scripts/python.exe"):
        if (python / inside).exists():
            return (python / inside).absolute()
    raise UsageProblem(f"{python}: no environment, it has no bin/python")


def _options(python: Path, given: dict[str, Any]) -> Options:
    from driftcheck.validate.portable.carry_out import Options
    from driftcheck.validate.portable.stages import parse_stages

    try:
        stages = parse_stages(given["stages"])
    except ValueError as error:
        raise UsageProblem(str(error)) from error
    other = given["known_good_python"]
    return Options(
        python=_interpreter(python),
        device=given["device"],
        stages=stages,
        results=given["results"] and given["results"].absolute(),
        budget=given["budget"],
        jobs=given["jobs"],
        known_good_python=_interpreter(other) if other else None,
        check_version=not given["any_version"],
        time_limit=given["time_limit"],
    )


def _carry_out(prepared: _Prepared, options: Options) -> int:
    from driftcheck.validate.bench import run_here
    from driftcheck.validate.portable.results import ResultsError
    from driftcheck.validate.portable.summary import exit_status, text_summary

    def tell(line: str) -> None:
        click.echo(line, err=True)

    try:
        results: Results = run_here(prepared.plan, prepared.consumer, prepared.drivers, options, tell)
    except ResultsError as error:
        raise UsageProblem(str(error)) from error
    except OSError as error:
        raise NothingChecked(f"{error.strerror or error}") from error
    click.echo(text_summary(results), nl=False)
    return exit_status(results)
