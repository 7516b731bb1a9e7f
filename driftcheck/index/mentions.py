"""Which files of a tree read an attribute of a given name or define one: one pass over all bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from driftcheck.index.tree_index import Index

_WORDS = re.compile(rb"(?:\.|\b(?:def|class)[ \t]+)([A-Za-z_]\w*)")


@dataclass
class Mentions:
    """Files by the names that they read as ``.name`` or define by ``def``/``class``."""

    _files: dict[bytes, list[str]] = field(default_factory=dict)

    def files(self, name: str) -> list[str]:
        """Files that read ``.name`` or define ``name``, in order."""
        return self._files.get(name.encode(), [])


def mentions(index: Index) -> Mentions:
    """The table of a tree, made once; names that are not ASCII are not in it."""
    found = index.__dict__.get("_member_mentions")
    if found is None:
        found = Mentions()
        for path in index.tree.python_files:
            for word in set(_WORDS.findall(index.peek(path))):
                found._files.setdefault(word, []).append(path)
        index.__dict__["_member_mentions"] = found
    return found
