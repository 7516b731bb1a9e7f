"""Uses that the consumer's metadata makes: entry points, and requirements that the provider shares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from driftcheck.infer.strings import resolve_string
from driftcheck.infer.world import World
from driftcheck.model import Span
from driftcheck.sources.names import normalized
from driftcheck.sources.tree import Tree
from driftcheck.uses.use import GroupUse, RequirementUse, StringUse, Use

PROJECT_FILE = "pyproject.toml"
RELEASE_FILE = "METADATA"
"""Where a finding about a release's metadata is said to be: the file is no part of the import packages."""


def metadata_uses(world: World) -> Iterator[Use]:
    """What the consumer's metadata says of the provider and of what both require."""
    yield from _entry_points(world)
    yield from _groups(world)
    yield from _requirements(world)


def _entry_points(world: World) -> Iterator[StringUse]:
    tree = world.consumer.tree
    for group in sorted(tree.entry_points):
        for text in sorted(set(tree.entry_points[group].values())):
            dotted = text.partition("[")[0].strip()
            if not world.provider.owns(dotted.partition(":")[0].partition(".")[0]):
                continue
            found = resolve_string(world, dotted)
            if found is not None:
                path, span = place_of(tree, dotted)
                yield StringUse(path, span, _node(span), frozenset(), dotted, found.missing, found.owner)


def _groups(world: World) -> Iterator[GroupUse]:
    """Groups of entry points that the provider's name stands before: ``gantry.hooks``."""
    tree = world.consumer.tree
    own = {*world.provider.packages, world.provider.tree.name}
    for group, listed in sorted(tree.entry_points.items()):
        if group.partition(".")[0] in own and "." in group:
            path, span = place_of(tree, group)
            yield GroupUse(path, span, _node(span), frozenset(), group, ", ".join(sorted(listed)))


def _requirements(world: World) -> Iterator[RequirementUse]:
    """The consumer's requirements, those under extras only where such an extra asks for the provider."""
    tree = world.consumer.tree
    lines = parsed(tree.requires)
    provider = normalized(world.provider.tree.name or "")
    asked = [one for one in lines if normalized(one.name) == provider]
    own = {extra for one in asked for extra in extras_of(one)} | {""}
    extras = frozenset(extra for one in asked for extra in one.extras)
    for one in lines:
        if normalized(one.name) == provider or not set(extras_of(one) or [""]) & own:
            continue
        path, span = place_of(tree, one.name, str(one.specifier))
        yield RequirementUse(path, span, _node(span), frozenset(), one, extras)


@lru_cache(maxsize=64)
def parsed(lines: tuple[str, ...]) -> list[Requirement]:
    """Requirement lines that can be read; the others are left out."""
    found: list[Requirement] = []
    for line in lines:
        try:
            found.append(Requirement(line))
        except InvalidRequirement:
            continue
    return found


def extras_of(requirement: Requirement) -> tuple[str, ...]:
    """The extras under which a requirement counts; none where it counts without any."""
    if requirement.marker is None:
        return ()
    words = str(requirement.marker).replace("'", '"').split('"')
    return tuple(
        words[n + 1] for n, word in enumerate(words[:-1]) if word.strip().endswith(("extra ==", "extra in"))
    )


def place_of(tree: Tree, *words: str) -> tuple[str, Span]:
    """The line of the project file that has all the words, else the first of the release's metadata."""
    text = _project_text(tree)
    for number, line in enumerate(text.splitlines(), 1):
        if all(word in line for word in words):
            start = line.index(words[0])
            return PROJECT_FILE, Span(number, start + 1, number, len(line.rstrip()) + 1)
    return (PROJECT_FILE if text else RELEASE_FILE), Span(1, 1, 1, 1)


def _project_text(tree: Tree) -> str:
    """The project file of a working tree; empty for a release."""
    try:
        return tree.read(PROJECT_FILE).decode("utf-8", "replace")
    except OSError:
        pass
    if tree.immutable or tree.root is None:
        return ""
    for directory in (Path(tree.root), Path(tree.root).parent):
        try:
            return (directory / PROJECT_FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return ""


def _node(span: Span) -> ast.AST:
    """A stand-in for the node of a use that is in no Python file."""
    return ast.Constant(
        None,
        lineno=span.line,
        col_offset=span.column - 1,
        end_lineno=span.end_line,
        end_col_offset=span.end_column - 1,
    )
