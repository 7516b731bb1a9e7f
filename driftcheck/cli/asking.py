"""The options that say what is checked: shared by the commands that check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from driftcheck.engine.request import Request

F = TypeVar("F", bound=Callable[..., Any])

_PATH = click.Path(path_type=Path)
_OPTIONS = (
    click.option(
        "--against",
        multiple=True,
        metavar="SPEC",
        help="The provider version asked about: name==X, name (installed), or a path; several times for "
        "several providers. [default: the configuration's providers]",
    ),
    click.option(
        "--known-good",
        multiple=True,
        metavar="VERSION",
        help="The version the consumer works with: X, name==X, none. [default: what its metadata requires]",
    ),
    click.option(
        "--python",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="The interpreter whose environment installed names are looked up in.",
    ),
    click.option("--select", multiple=True, metavar="CODES", help="Only these checks: codes, groups, names."),
    click.option("--ignore", multiple=True, metavar="CODES", help="Not these checks."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Nothing in files that match."),
    click.option("--since", metavar="REV", help="Only lines changed since the branch left a git revision."),
    click.option("--staged", is_flag=True, help="Only lines that are staged for the next commit, as staged."),
    click.option("--baseline", type=_PATH, help="A file of findings that are let be."),
    click.option("--rules", type=_PATH, multiple=True, help="A further rules directory."),
    click.option("--config", type=_PATH, help="The pyproject.toml to follow, whatever is nearer."),
    click.option("--isolated", is_flag=True, help="Follow no configuration file."),
    click.option(
        "--include",
        type=click.Choice(["tests"]),
        multiple=True,
        help="What of a project is checked besides the packages it installs: tests (and examples).",
    ),
    click.option("--no-cache", is_flag=True, help="Set driftcheck's own caches aside; fetched sources stay."),
    click.option("--refresh", is_flag=True, help="Ask the package index for new releases now."),
    click.option("--no-contracts", is_flag=True, help="Only what follows from source, no facts from rules/."),
)


def asking_options(function: F) -> F:
    """Gives a command the options, which :func:`request_of` takes."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def request_of(consumers: tuple[str, ...], given: dict[str, Any]) -> Request:
    """The request that the options make; takes them out of ``given``."""
    from driftcheck.engine.request import Request

    return Request(
        consumers=consumers or (".",),
        against=given.pop("against"),
        known_good=given.pop("known_good"),
        python=given.pop("python"),
        include_tests="tests" in given.pop("include"),
        use_cache=not given.pop("no_cache"),
        refresh=given.pop("refresh"),
        no_contracts=given.pop("no_contracts"),
        rules=given.pop("rules"),
        config=given.pop("config"),
        isolated=given.pop("isolated"),
        select=words(given.pop("select")),
        ignore=words(given.pop("ignore")),
        exclude=given.pop("exclude"),
        baseline=given.pop("baseline"),
        since=given.pop("since"),
        staged=given.pop("staged"),
    )


def words(values: tuple[str, ...]) -> tuple[str, ...]:
    """Words given one by one, separated by commas, or both."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())
