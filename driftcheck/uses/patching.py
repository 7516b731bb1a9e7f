"""Files of the consumer that were not asked about and yet may change the provider that the others meet."""

from __future__ import annotations

import re
from collections.abc import Iterable

from driftcheck.infer.world import World

_PATCHES = re.compile(
    rb"^(?:[ \t]*[A-Z]\w*\.\w+|\w+(?:\.\w+)+)[ \t]*=(?!=)"  # Kind.name = …, or a module's name at the top level
    rb"|\(\s*[A-Z]\w*\s*,\s*[\"']\w+[\"']",  # setattr(Kind, "name", …), patch.object(Kind, "name"), …
    re.MULTILINE,
)


def patching_files(world: World, paths: Iterable[str]) -> list[str]:
    """Those of the files whose text puts something on a class or module by name."""
    return [path for path in paths if _patches(world, path)]


def _patches(world: World, path: str) -> bool:
    try:
        return _PATCHES.search(world.consumer.tree.read(path)) is not None
    except OSError:
        return False
