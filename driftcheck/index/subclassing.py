"""Which classes of a tree stand below which by name: found in the bytes, nothing parsed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from driftcheck.index.classes import ClassDef
from driftcheck.index.tree_index import Index

_HEADER = re.compile(rb"class[ \t]+(\w+)[ \t]*\(([^)]*)\)")
_WORD = re.compile(rb"\w")
_END = re.compile(rb"\n(?=[^\s#)\]}])")


@dataclass(frozen=True, slots=True)
class Place:
    """A class of a module: its file and name."""

    path: str
    name: str


@dataclass
class _Headers:
    """Class statements that have bases: names, and the lists of bases one after another.

    ``starts``: where in ``bases`` each row's list begins; ``files``: the row with which each file's begin.
    """

    names: list[bytes]
    starts: list[int]
    bases: bytes
    files: list[int]
    paths: list[str]

    def naming(self, name: str, namesakes: bool = False) -> list[Place]:
        """The classes with a name in their list of bases; ``namesakes``: also those that are called so themselves."""
        word, bases = name.encode(), self.bases
        rows: dict[int, None] = {}
        at = bases.find(word)
        while at >= 0:
            end = at + len(word)
            if not (_WORD.match(bases, end) or (at and _WORD.match(bases, at - 1))):
                rows[bisect_right(self.starts, at) - 1] = None
            at = bases.find(word, end)
        return [self.place(row) for row in rows if namesakes or self.names[row] != word]

    def place(self, row: int) -> Place:
        path = self.paths[bisect_right(self.files, row) - 1]
        return Place(path, self.names[row].decode("utf-8", "replace"))


def directly_below(
    index: Index, name: str, *, everywhere: bool = True, namesakes: bool = False
) -> list[Place]:
    """The classes with ``name`` in their list of bases, in order.

    Not ``everywhere``: the files that mention the name are searched and no table is made, which is cheaper for
    one name.
    """
    headers = _headers(index) if everywhere else _read(index, index.files_mentioning(name))
    return headers.naming(name, namesakes)


def below_alias(index: Index, name: str) -> list[Place]:
    """The classes that have ``name`` in their list of bases as what an import calls it there."""
    alias = re.compile(re.escape(name.encode()) + rb"\s+as\s+(\w+)")
    found: dict[Place, None] = {}
    for path in index.files_mentioning(name):
        for spelt in dict.fromkeys(alias.findall(index.peek(path))):
            rows = _read(index, [path]).naming(spelt.decode("utf-8", "replace"), namesakes=True)
            found.update(dict.fromkeys(rows))
    return list(found)


def all_below(index: Index, places: Iterable[Place]) -> list[Place]:
    """Classes and all that stand below them by name."""
    found = dict.fromkeys(places)
    waiting, done = list(found), set[str]()
    while waiting:
        place = waiting.pop()
        if place.name not in done:
            done.add(place.name)
            new = [below for below in directly_below(index, place.name) if below not in found]
            found.update(dict.fromkeys(new))
            waiting += new
    return list(found)


def classes_in(index: Index, paths: Iterable[str]) -> list[Place]:
    """The classes of certain files that have bases."""
    found = _read(index, paths)
    return [found.place(row) for row in range(len(found.names))]


def _headers(index: Index) -> _Headers:
    found: _Headers | None = index.__dict__.get("_class_headers")
    if found is None:
        found = index.__dict__["_class_headers"] = _read(index, index.tree.python_files)
    return found


def _read(index: Index, paths: Iterable[str]) -> _Headers:
    rows: list[tuple[bytes, bytes]] = []
    files: list[int] = []
    where: list[str] = []
    for path in paths:
        data = index.peek(path)
        before = len(rows)
        rows += [(m[1], m[2]) for m in _HEADER.finditer(data) if _begins_line(data, m.start())]
        if len(rows) > before:
            files.append(before)
            where.append(path)
    starts = list(accumulate((len(bases) + 1 for _, bases in rows), initial=0))
    return _Headers([name for name, _ in rows], starts, b"\0".join([b for _, b in rows]), files, where)


def _begins_line(data: bytes, at: int) -> bool:
    """Whether nothing but blanks stands before an offset in its line: a class may be inside a branch."""
    return at == 0 or data[at - 1] == 10 or not data[data.rfind(b"\n", 0, at) + 1 : at].strip(b" \t")


def text_at(index: Index, place: Place) -> str:
    """A class's text to its end or to the first line that is not indented, whichever comes first."""
    data, head = index.peek(place.path), b"class " + place.name.encode() + b"("
    start = 0 if data.startswith(head) else data.find(b"\n" + head) + 1
    if not data.startswith(head, start):
        return ""
    end = _END.search(data, start + len(head))
    return data[start : end.start() if end else len(data)].decode("utf-8", "replace")


def class_at(index: Index, place: Place) -> ClassDef | None:
    """The class itself; None where its file cannot be read."""
    module = index.module(index.module_name(place.path))
    bindings = module.bindings.get(place.name, ()) if module is not None else ()
    classes = [binding for binding in bindings if binding.kind == "class"]
    return module.class_of(classes[-1]) if module is not None and classes else None
