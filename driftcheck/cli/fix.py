"""``driftcheck fix``: rewrites the source so that it works, as far as that is sure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftcheck.cli import status
from driftcheck.cli.asking import asking_options, request_of
from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.cli.saying import say

if TYPE_CHECKING:
    from driftcheck.engine.fixing import Fixed
    from driftcheck.engine.request import Request
    from driftcheck.fixes import Style

_EPILOG = """\b
safe     On the target your code does what it did on known-good, as far as the analysis can tell,
         and the edit is complete.
unsafe   The edit is complete, but only static reasons speak for it: the description says which.
display  A person has to decide; the edit is shown and never applied.

Every fix is checked again in memory: one that leaves its finding, or causes another, is taken back."""


@click.command(name="fix", epilog=_EPILOG)
@click.argument("consumers", nargs=-1, metavar="[PATHS]...")
@asking_options
@click.option(
    "--diff", "as_diff", is_flag=True, help="Print what would change as a unified diff; write nothing."
)
@click.option("--unsafe-fixes", is_flag=True, help="Apply unsafe fixes as well.")
@click.option(
    "--proof",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Results of a validate run: what it proved for these files and this target is applied.",
)
@click.option(
    "--keep", metavar="VERSION", help="A version that is to go on working besides the target: X or name==X."
)
@click.option(
    "--style",
    type=click.Choice(["shim", "gate"]),
    default="shim",
    show_default=True,
    help="With --keep: try what is there, or test the version.",
)
@click.option(
    "--require-clean", is_flag=True, help="Refuse to change files that git has uncommitted changes of."
)
@click.pass_context
def command(
    ctx: click.Context,
    consumers: tuple[str, ...],
    as_diff: bool,
    unsafe_fixes: bool,
    proof: Path | None,
    keep: str | None,
    style: Style,
    require_clean: bool,
    **asking: Any,
) -> None:
    """Rewrite your code so that it works on that version of a library.

    Safe fixes are applied; what was done and what is left is printed.

    \b
    driftcheck fix src/ --against vllm==0.16.0 --diff
    driftcheck fix src/ --against vllm==0.33.0 --unsafe-fixes
    driftcheck fix src/ --against vllm==0.16.0 --keep 0.11.0
    """
    from driftcheck.cli.progress import Progress

    if keep is not None and asking["known_good"]:
        raise UsageProblem("--keep says which version works already: leave --known-good out")
    if asking["since"] is not None or asking["staged"]:
        raise UsageProblem("--since and --staged are for looking: fix changes files as they are now")
    request = request_of(consumers, asking)
    if keep is not None:
        request = replace(request, known_good=(keep,), fix_style=style)
    with Progress() as progress:
        done = _fixed(request, unsafe_fixes, proof, progress)
    for warning in done.warnings:
        say(f"driftcheck: warning: {' '.join(warning.split())}")
    if as_diff:
        _print(done.diff())
        _print_summary(done, would=True)
        ctx.exit(status.FOUND if done.repaired.files else status.CLEAN)
    written = _write(done, require_clean)
    _print_summary(done, would=False)
    ctx.exit(status.CLEAN if written and not done.failing() else status.FOUND)


def _fixed(request: Request, unsafe: bool, proof: Path | None, progress: Callable[[str], None]) -> Fixed:
    """The repair, its errors made exits."""
    from driftcheck.engine.fixing import fix
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources.errors import USAGE, SourceError

    try:
        return fix(request, unsafe, proof, progress)
    except SourceError as error:
        kind = UsageProblem if error.exit_status == USAGE else NothingChecked
        raise kind(str(error)) from error
    except RulesError as error:
        raise UsageProblem(str(error)) from error


def _write(done: Fixed, require_clean: bool) -> bool:
    """Writes every changed file, each whole or not at all; says which could not be written."""
    from driftcheck.fixes import FileChanged, write_file
    from driftcheck.fixes.git import uncommitted

    places = {path: done.place(path) for path in done.repaired.files}
    nowhere = sorted(path for path, place in places.items() if place is None)
    if nowhere:
        raise UsageProblem(
            f"{nowhere[0]} belongs to a release and is not yours to change: --diff shows the fixes"
        )
    if require_clean:
        dirty = uncommitted([place for place in places.values() if place is not None])
        if dirty:
            raise UsageProblem(
                f"uncommitted changes in {dirty[0]}: commit them, or leave --require-clean out"
            )
    complete = True
    for path, place in sorted(places.items()):
        assert place is not None
        try:
            write_file(place, done.read(path), done.repaired.files[path])
        except (FileChanged, OSError) as error:
            complete = False
            say(f"driftcheck: error: {error}")
    return complete


def _print_summary(done: Fixed, would: bool) -> None:
    for line in done.lines(would):
        # Beside a diff on standard output, words go elsewhere: the diff must stay one.
        say(line, err=would)


def _print(text: str) -> None:
    sys.stdout.flush()
    if sys.stdout.isatty():
        from driftcheck.report.escape import visible

        # For eyes: what is piped on or kept must stay a diff, byte for byte.
        text = "\n".join(map(visible, text.split("\n")))
    # As bytes: a file of another encoding shows as it is.
    click.echo(text.encode("utf-8", "surrogateescape"), nl=False)
