"""What is known of a provider's symbol: where each version defines it, and the line that does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftcheck.model import Evidence, Span
from driftcheck.sources.tree import MemoryFiles, Tree

if TYPE_CHECKING:
    from driftcheck.checks import View
    from driftcheck.uses import Use


@dataclass(frozen=True)
class Symbol:
    """One symbol on one version; without a place it is not there."""

    name: str
    version: str
    place: Evidence | None

    def markdown(self) -> str:
        """One line for a hover or a tool's answer."""
        if self.place is None:
            return f"- {self.version}: not there"
        return f"- {self.version}: `{self.place.path}:{self.place.line}` `{self.place.text}`"


def look_up(symbol: str, provider: Tree) -> Symbol:
    """Where a provider defines a dotted name."""
    from driftcheck.engine.homes import home_of

    view = _view(Tree(spec="", files=MemoryFiles({}), packages=()), provider)
    return Symbol(symbol, provider.version or provider.spec, home_of(view, symbol))


class Mentions:
    """What a consumer's files mention of a provider, by place; worked out once."""

    def __init__(self, consumer: Tree, target: Tree, known_good: Tree | None) -> None:
        from driftcheck.uses.collect import collect

        self._view = _view(consumer, target)
        self._known_good = None if known_good is None else _view(consumer, known_good)
        self._by_path: dict[str, list[tuple[Span, str]]] = {}
        for use in collect(self._view.world).uses:
            for name in _names(use):
                self._by_path.setdefault(use.path, []).append((use.span, name))

    def at(self, path: str, line: int, column: int) -> list[Symbol]:
        """The symbol that the narrowest mention around a place is about, on each version."""
        from driftcheck.engine.homes import home_of

        around = [(span, name) for span, name in self._by_path.get(path, ()) if _holds(span, line, column)]
        if not around:
            return []
        _, name = min(around, key=lambda pair: _size(pair[0]))
        views = [view for view in (self._view, self._known_good) if view is not None]
        return [Symbol(name, view.version, home_of(view, name)) for view in views]


def _view(consumer: Tree, provider: Tree) -> View:
    from driftcheck.checks import View
    from driftcheck.index.tree_index import Index
    from driftcheck.infer.facts import load_facts
    from driftcheck.infer.world import World
    from driftcheck.rulesdb import rules_roots
    from driftcheck.uses.collect import Uses

    world = World(Index(consumer), Index(provider), load_facts(rules_roots()))
    return View(world, Uses())


def _names(use: Use) -> Iterator[str]:
    """The dotted names that a use is about."""
    from driftcheck.uses import AttributeUse, ImportUse
    from driftcheck.uses.relevance import owner_name

    if isinstance(use, ImportUse):
        yield use.module if use.name is None else f"{use.module}.{use.name}"
    elif isinstance(use, AttributeUse):
        for option, _ in use.answers:
            owner = owner_name(option)
            if owner is not None:
                yield f"{owner}.{use.name}"


def _holds(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def _size(span: Span) -> tuple[int, int]:
    return span.end_line - span.line, span.end_column - span.column


def place_of(path: str, files: Iterator[tuple[str, Path]]) -> str | None:
    """The import path of a file on disk, among those that were checked."""
    wanted = Path(path).resolve()
    return next((name for name, place in files if place.resolve() == wanted), None)
