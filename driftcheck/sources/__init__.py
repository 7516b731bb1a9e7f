"""From a spec to a tree of source files.

Importing this package is cheap: what opens trees is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftcheck.sources.errors import SourceError
from driftcheck.sources.tree import (
    DirectoryFiles,
    Files,
    ListedFiles,
    MemoryFiles,
    MountedFiles,
    Overlay,
    Tree,
)

if TYPE_CHECKING:
    from driftcheck.sources.cache import Cache, cache_root
    from driftcheck.sources.lists import Release, highest_matching
    from driftcheck.sources.opening import known_good_version, open_tree, releases
    from driftcheck.sources.spec import parse_spec, release_text

_LATER = {
    "Cache": "cache",
    "cache_root": "cache",
    "known_good_version": "opening",
    "open_tree": "opening",
    "Release": "lists",
    "highest_matching": "lists",
    "releases": "opening",
    "parse_spec": "spec",
    "release_text": "spec",
}

__all__ = [
    "Cache",
    "DirectoryFiles",
    "Files",
    "ListedFiles",
    "MemoryFiles",
    "MountedFiles",
    "Overlay",
    "Release",
    "SourceError",
    "Tree",
    "cache_root",
    "highest_matching",
    "known_good_version",
    "open_tree",
    "parse_spec",
    "release_text",
    "releases",
]


def __getattr__(name: str) -> Any:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
