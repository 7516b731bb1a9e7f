"""``driftcheck cache``: what driftcheck keeps on disk, and how to be rid of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from driftcheck.cli.errors import UsageProblem

# What each directory of the cache holds; others that a command may keep are shown by their name.
_KINDS = {
    "sources": "fetched releases and release lists",
    "results": "answers of earlier runs",
    "index": "outlines and summaries of definitions",
    "envs": "environments that scenarios were run in",
}


@click.group(name="cache")
def command() -> None:
    """What driftcheck keeps on disk."""


@command.command()
def info() -> None:
    """Where the cache is, and how much each part of it takes."""
    root = _root()
    click.echo(f"{root}")
    parts = list(_parts(root))
    for part in parts:
        files, size = _measure(part)
        told = _KINDS.get(part.name, "")
        click.echo(f"  {part.name:<10} {files:>7,} files {_amount(size):>10}  {told}".rstrip())
    if not parts:
        click.echo("  (empty)")


@command.command()
@click.argument("parts", nargs=-1, metavar="[PART]...")
def clean(parts: tuple[str, ...]) -> None:
    """Remove the cache, or the PARTs of it that are named (see info).

    Running checks are not disturbed beyond having to fetch or work again.
    """
    root = _root()
    there = {part.name: part for part in _parts(root)}
    for name in parts:
        if name not in there and name not in _KINDS:
            raise UsageProblem(f"no part {name!r} in the cache; there are {', '.join(there) or 'none'}")
    files = size = 0
    for name in parts or tuple(there):
        if name in there:
            count, amount = _measure(there[name])
            files, size = files + count, size + amount
            shutil.rmtree(there[name], ignore_errors=True)
    click.echo(f"removed {files:,} files, {_amount(size)}")


def _root() -> Path:
    from driftcheck.sources.cache import cache_root

    return cache_root()


def _parts(root: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(entry for entry in root.iterdir() if entry.is_dir() and not entry.is_symlink())


def _measure(directory: Path) -> tuple[int, int]:
    """How many files lie below a directory, and their size in bytes."""
    files = size = 0
    for place, _, names in os.walk(directory):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_size
                files += 1
    return files, size


def _amount(size: int) -> str:
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
