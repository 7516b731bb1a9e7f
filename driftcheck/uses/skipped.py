"""Modules of the consumer that this version never imports: all their importers stand behind a guard that is off.

A module counts as skipped only where the consumer imports it somewhere, never in a place that this version
comes to, and names it in no other way: no string, no entry point, no file that was not interpreted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from driftcheck.index.module import Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.world import World

Place = tuple[str, int, int]
Sites = dict[str, list[tuple[str, Place, bool]]]
"""Of each module that imports may mean: the file and place of those, and whether a condition stands before."""
_NOT_BY_VERSION = re.compile(r"\bTYPE_CHECKING\b|__name__")


def skipped_modules(world: World, reached: set[Place]) -> frozenset[str]:
    """The paths of the modules that no import of this version comes to."""
    modules = [m for m in (_module(world, path) for path in sorted(world.heard)) if m is not None]
    sites: Sites = {}
    for module in modules:
        for name, place, guarded in _sites(module):
            sites.setdefault(name, []).append((module.path, place, guarded))
    unreached = {
        name for name, listed in sites.items() if any(place not in reached for _, place, _ in listed)
    }
    found: set[str] = set()
    while True:
        more = {
            module.path
            for module in modules
            if module.path not in found
            and (module.name in unreached or found)
            and _is_skipped(world, module, sites, reached, found)
        }
        if not more:
            return frozenset(found)
        found |= more


def _module(world: World, path: str) -> Module | None:
    return world.consumer.module(world.consumer.module_name(path))


def _is_skipped(
    world: World,
    module: Module,
    sites: Sites,
    reached: set[Place],
    skipped: set[str],
) -> bool:
    own = [site for site in sites.get(module.name, ()) if site[0] != module.path]
    if not own or any(
        path not in skipped and (place in reached or not guarded) for path, place, guarded in own
    ):
        return False
    return not _named_otherwise(world, module, {path for path, _, _ in own})


def _sites(module: Module) -> Iterator[tuple[str, Place, bool]]:
    """What the import statements of a module may import, where, and whether a condition stands before it."""
    try:
        body = module.source.tree.body
    except SourceFault:
        return
    for node, guarded in _imports(body, False):
        if isinstance(node, ast.Import):
            names = [(alias, alias.name) for alias in node.names]
        else:
            base = module.absolute(node.module, node.level)
            names = [(alias, f"{base}.{alias.name}") for alias in node.names] if base is not None else []
        for alias, dotted in names:
            place = (module.path, alias.lineno, alias.col_offset)
            yield from ((name, place, guarded) for name in _above(dotted))


def _imports(body: list[ast.stmt], guarded: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import statement, and whether it stands in a branch or handler.

    Branches for type checkers and for the main program do not count: no version turns them off.
    """
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield node, guarded
            case ast.If(test=test, body=inner, orelse=other):
                inside = [*_imports(inner, True), *_imports(other, True)]
                if inside and not guarded and _NOT_BY_VERSION.search(ast.unparse(test)):
                    inside = [(found, False) for found, _ in inside]
                yield from inside
            case ast.Try(body=inner, handlers=handlers, orelse=other, finalbody=final):
                for block in (inner, *(handler.body for handler in handlers), other, final):
                    yield from _imports(block, True)
            case _:
                yield from _imports(getattr(node, "body", []), guarded)
                yield from _imports(getattr(node, "orelse", []), guarded)


def _above(name: str) -> Iterator[str]:
    """A dotted name and every package above it: importing it imports them."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def _named_otherwise(world: World, module: Module, importers: set[str]) -> bool:
    """Whether something else of the consumer mentions the module: metadata, a string, a file not interpreted."""
    last = module.name.rpartition(".")[2]
    tree = world.consumer.tree
    if any(module.name in text for group in tree.entry_points.values() for text in group.values()):
        return True
    quoted = re.compile(rf"[\"'](?:[\w.]*\.)?{re.escape(last)}(?:[.:][\w.:]*)?[\"']".encode())
    imported = re.compile(rf"^\s*(?:from|import)\b[^\n]*\b{re.escape(last)}\b".encode(), re.M)
    for path in world.consumer.files_mentioning(last):
        if path == module.path:
            continue
        data = world.consumer.peek(path)
        if quoted.search(data) or (path not in importers and imported.search(data)):
            return True
    return False
