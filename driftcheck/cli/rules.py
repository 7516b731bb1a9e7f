"""``driftcheck rules``: the checks that there are, and their pages."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from driftcheck.cli import status
from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.cli.terminal import color_wanted, width_of
from driftcheck.engine.selectors import suggestion
from driftcheck.rulesdb import CodeInfo, RulesError, load_codes


@click.group(name="rules")
def command() -> None:
    """The checks that there are, and what each means."""


@command.command(name="list")
def list_rules() -> None:
    """One line a check: code, name, severity, and the first version that has it."""
    codes = _codes()
    width = max((len(info.name) for info in codes.values()), default=0)
    for info in codes.values():
        click.echo(f"{info.code}  {info.name:<{width}}  {info.severity:<7}  since {info.since}")


def _complete_code(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(code, help=info.name)
        for code, info in _codes().items()
        if code.startswith(incomplete.upper())
    ]


@command.command()
@click.argument("code", shell_complete=_complete_code)
@click.option("--cases", is_flag=True, help="With the cases and near misses that test the check.")
def explain(code: str, cases: bool) -> None:
    """The page of a check, by its CODE (DC201) or its name (unknown-keyword)."""
    codes = _codes()
    names = {info.name: info.code for info in codes.values()}
    wanted = code.upper() if code.upper() in codes else names.get(code.lower())
    if wanted is None:
        raise UsageProblem(f"no check {code!r}; {suggestion(code, codes)}")
    _show(_page_text(codes[wanted].path, cases))


def _codes() -> dict[str, CodeInfo]:
    try:
        return load_codes()
    except RulesError as error:
        raise UsageProblem(str(error)) from error


def _page_text(path: Path, cases: bool) -> str:
    from driftcheck.rulesdb.pages import load_page

    try:
        page = load_page(path)
    except RulesError as error:
        raise UsageProblem(str(error)) from error
    if cases:
        return path.read_text(encoding="utf-8").split("---\n", 2)[2].strip()
    parts = [f"# {page.code} {page.name} ({page.severity})"]
    parts += [f"## {title}\n\n{text}" for title, text in page.sections.items()]
    near = sum(case.kind == "near miss" for case in page.cases)
    parts.append(f"Tested by {len(page.cases) - near} cases and {near} near misses (--cases shows them).")
    return "\n\n".join(parts)


def _show(markdown: str) -> None:
    if not sys.stdout.isatty():
        click.echo(markdown)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(width=width_of(sys.stdout), no_color=not color_wanted(sys.stdout))
    console.print(Markdown(markdown))


@command.command()
@click.option(
    "--against", required=True, metavar="SPEC", help="The release that is asked: name==X, or a path."
)
@click.pass_context
def verify(ctx: click.Context, against: str) -> None:
    """Whether the contracts of a library hold in a release's source.

    A contract states what source cannot. Each is looked up: the symbols that it rests on, and the
    parameters, classes and defaults that it names. Exits with 1 where one does not hold.
    """
    from driftcheck.cli.progress import Progress
    from driftcheck.engine.contracts import verify as verified
    from driftcheck.sources import SourceError, open_tree
    from driftcheck.sources.errors import USAGE

    try:
        with Progress() as progress:
            tree = open_tree(against, role="provider", progress=progress)
            results = verified(tree)
    except SourceError as error:
        raise (UsageProblem if error.exit_status == USAGE else NothingChecked)(str(error)) from error
    except RulesError as error:
        raise UsageProblem(str(error)) from error
    if not results:
        click.echo(f"there is no contract on {tree.name or against}")
    for result in results:
        state = "does not apply" if not result.applies else "fails" if result.problems else "holds"
        scope = f" ({result.contract.versions})" if not result.applies else ""
        click.echo(f"{result.contract.kind} {result.contract.id}: {state}{scope}")
        for problem in result.problems:
            click.echo(f"  {problem}")
    ctx.exit(status.FOUND if any(result.problems for result in results) else status.CLEAN)
