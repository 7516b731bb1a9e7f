"""A consumer too large to be held in memory as a whole, as parts that are checked one after the other.

Syntax trees take some thirty times their text. A part is checked as if it alone had been named: what it
takes from other parts is still read, but nothing is reported there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from driftcheck.sources.tree import Tree

FEW = 600
"""Consumers with no more files than this are not measured."""
MOST = 8_000_000
"""Bytes of files that mention the provider in one part."""


def parts(consumer: Tree, providers: Iterable[Tree | None]) -> list[Tree]:
    """The consumer as a whole where that is small enough, else its files in order in several trees."""
    files = consumer.python_files
    if len(files) <= FEW:
        return [consumer]
    names = {name.encode() for tree in providers if tree is not None for name in tree.packages}
    groups = list(_groups(consumer, files, names))
    return [consumer] if len(groups) < 2 else [_part(consumer, group) for group in groups]


def _part(consumer: Tree, group: list[str]) -> Tree:
    return replace(consumer, only=tuple(group), partial=True)


def _groups(consumer: Tree, files: Iterable[str], names: set[bytes]) -> Iterator[list[str]]:
    """The files in order, cut where those that hold one of the names exceed the limit."""
    group: list[str] = []
    size = 0
    for path in files:
        try:
            data = consumer.read(path)
        except OSError:
            data = b""
        weight = len(data) if any(name in data for name in names) else 0
        if group and size + weight > MOST:
            yield group
            group, size = [], 0
        group.append(path)
        size += weight
    if group:
        yield group
