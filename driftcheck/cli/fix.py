"""``driftcheck fix``: rewrites the source so that it works, as far as that is sure."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftcheck.cli import status
from driftcheck.cli.asking import asking_options, request_of
from driftcheck.cli.errors import NothingChecked, UsageProblem, writing_stdout
from driftcheck.cli.saying import say

if TYPE_CHECKING:
    from driftcheck.engine.fixing import Fixed
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
    from driftcheck.engine.fixing import fix

    if keep is not None and asking["known_good"]:
        raise UsageProblem("--keep says which version works already: leave --known-good out")
    if asking["since"] is not None or asking["staged"]:
        raise UsageProblem("--since and --staged are for looking: fix changes files as they are now")
    request = request_of(consumers, asking)
    if keep is not None:
        request = replace(request, known_good=(keep,), fix_style=style)
    with Progress() as progress, _exits(keep):
        done = fix(request, unsafe_fixes, proof, progress)
    for warning in done.warnings:
        say(f"driftcheck: warning: {' '.join(warning.split())}")
    if as_diff:
        _print(done.diff())
        _print_summary(done, would=True)
        ctx.exit(status.FOUND if done.repaired.files else status.CLEAN)
    unwritten = _write(done, require_clean)
    if unwritten:
        with _exits(keep):
            done = done.without(unwritten)
    _print_summary(done, would=False)
    ctx.exit(status.FOUND if unwritten or done.failing() else status.CLEAN)


@contextlib.contextmanager
def _exits(keep: str | None) -> Iterator[None]:
    """Errors made exits. What is said of the known-good version is said of ``--keep`` where that gave it."""
    from driftcheck.rulesdb import RulesError
    from driftcheck.sources.errors import USAGE, SourceError

    try:
        yield
    except SourceError as error:
        kind = UsageProblem if error.exit_status == USAGE else NothingChecked
        said = str(error)
        if keep is not None:
            said = said.replace(f"--known-good {keep}", f"--keep {keep}")
        raise kind(said) from error
    except RulesError as error:
        raise UsageProblem(str(error)) from error


def _write(done: Fixed, require_clean: bool) -> frozenset[str]:
    """Writes every changed file, each whole or not at all; says and returns which could not be written."""
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
    unwritten: set[str] = set()
    for path, place in sorted(places.items()):
        assert place is not None
        try:
            write_file(place, done.read(path), done.repaired.files[path])
        except FileChanged as error:
            unwritten.add(path)
            say(f"driftcheck: error: {error}")
        except OSError as error:
            unwritten.add(path)
            say(f"driftcheck: error: cannot write {done.shown(path)}: {error.strerror or error}")
    return frozenset(unwritten)


def _print_summary(done: Fixed, would: bool) -> None:
    for line in done.lines(would):
        # Beside a diff on standard output, words go elsewhere: the diff must stay one.
        say(line, err=would)


def _print(text: str) -> None:
    with writing_stdout():
        sys.stdout.flush()
    if sys.stdout.isatty():
        from driftcheck.report.escape import visible

        # For eyes: what is piped on or kept must stay a diff, byte for byte.
        text = "\n".join(map(visible, text.split("\n")))
    # As bytes: a file of another encoding shows as it is.
    with writing_stdout():
        click.echo(text.encode("utf-8", "surrogateescape"), nl=False)
