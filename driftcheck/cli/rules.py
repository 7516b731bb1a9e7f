"""``driftcheck rules``: the checks that there are, and their pages."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from driftcheck.cli.errors import UsageProblem
from driftcheck.cli.terminal import color_wanted, width_of
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


@command.command()
@click.argument("code")
@click.option("--cases", is_flag=True, help="With the cases and near misses that test the check.")
def explain(code: str, cases: bool) -> None:
    """The page of a check, by its CODE (DC201) or its name (unknown-keyword)."""
    codes = _codes()
    names = {info.name: info.code for info in codes.values()}
    wanted = code.upper() if code.upper() in codes else names.get(code.lower())
    if wanted is None:
        near = difflib.get_close_matches(code.upper(), codes, 1) or [
            names[name] for name in difflib.get_close_matches(code.lower(), names, 1)
        ]
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(codes)}"
        raise UsageProblem(f"no check {code!r}; {hint}")
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
