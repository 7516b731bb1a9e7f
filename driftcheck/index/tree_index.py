"""The index of one tree: its modules by dotted name, each read when first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from driftcheck.index.depth import refuse_too_deep
from driftcheck.index.module import Module
from driftcheck.index.source import Source, SourceFault
from driftcheck.sources.tree import Tree

ModuleKind = Literal["module", "package", "namespace", "opaque"]
_APART = "~"
_EXTENSION = (".so", ".pyd", ".pyi", ".dylib", ".pyx")


@dataclass
class Counters:
    """What a run read, for ``--profile``."""

    files_read: int = 0
    bytes_read: int = 0
    modules: int = 0


@dataclass
class Index:
    """A tree's modules. Nothing is read before it is asked for; every answer is remembered.

    ``shallow``: a file that is nested too deep is one that cannot be read. To see that costs a whole
    parse, so it is asked for only after following such a file has failed. ``apart``: the tree's own
    modules have names that no import statement can spell, since what it imports is another tree's.
    ``beside``: indexes of other states of the tree; a module whose file is the same there is taken from
    there, with all that was read of it, since none of that depends on other files.
    """

    tree: Tree
    shallow: bool = False
    apart: bool = False
    beside: tuple[Index, ...] = ()
    counters: Counters = field(default_factory=Counters)
    faults: dict[str, SourceFault] = field(default_factory=dict)
    _modules: dict[str, Module | None] = field(default_factory=dict)
    _kinds: dict[str, tuple[ModuleKind, str] | None] = field(default_factory=dict)
    _bytes: dict[str, bytes] = field(default_factory=dict)
    _mentions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _importers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def packages(self) -> tuple[str, ...]:
        return self.tree.packages

    def owns(self, name: str) -> bool:
        """Whether a dotted name belongs to this tree by its first part."""
        top = name.partition(".")[0]
        if self.apart:
            return top.endswith(_APART) and top.removesuffix(_APART) in self.tree.packages
        return top in self.tree.packages

    def locate(self, name: str) -> tuple[ModuleKind, str] | None:
        """What a dotted name is and its file (the directory of a namespace); None where nothing is."""
        if name in self._kinds:
            return self._kinds[name]
        found = self._kinds[name] = self._locate(name)
        return found

    def _locate(self, name: str) -> tuple[ModuleKind, str] | None:
        if not self.owns(name):
            return None
        parent = name.rpartition(".")[0]
        if parent:
            above = self.locate(parent)
            if above is None or above[0] == "module":
                return None
        path = self._spelt(name).replace(".", "/")
        directory, _, last = path.rpartition("/")
        listing = self.tree.listdir(directory)
        if last + "/" in listing and "__init__.py" in self.tree.listdir(path):
            return "package", f"{path}/__init__.py"
        if f"{last}.py" in listing:
            return "module", f"{path}.py"
        if any(entry.startswith(last + ".") and entry.endswith(_EXTENSION) for entry in listing):
            return "opaque", path
        if last + "/" in listing:
            inside = self.tree.listdir(path)
            if any(entry.startswith("__init__.") and entry.endswith(_EXTENSION) for entry in inside):
                return "opaque", path
            if any(entry.endswith((".py", "/", *_EXTENSION)) for entry in inside):
                return "namespace", path
        return None

    def module(self, name: str) -> Module | None:
        """The module of that name; None where there is none, it is opaque, or it cannot be read."""
        if name in self._modules:
            return self._modules[name]
        self._modules[name] = None
        place = self.locate(name)
        if place is not None and place[0] in ("module", "package"):
            self._modules[name] = self._load(name, place[1], place[0] == "package")
        return self._modules[name]

    def _load(self, name: str, path: str, is_package: bool) -> Module | None:
        try:
            data = self.read(path)
            for other in self.beside:
                same = other.loaded(name, path, is_package, data)
                if same is not None:
                    self.counters.modules += 1
                    return same
            source = Source(path, data)
            if self.shallow:
                refuse_too_deep(source)
        except SourceFault as fault:
            self.faults[path] = fault
            return None
        except OSError as error:
            self.faults[path] = SourceFault(f"cannot be read: {error.strerror or error}")
            return None
        self.counters.modules += 1
        return Module(name, source, is_package)

    def set_aside(self) -> None:
        """Keep of it only what another index takes from :attr:`beside`: the modules that were read."""
        paths = {module.source.path for module in self._modules.values() if module is not None}
        self._bytes = {path: data for path, data in self._bytes.items() if path in paths}
        self._mentions.clear()
        self.beside = ()  # else each release would keep all before it

    def loaded(self, name: str, path: str, is_package: bool, data: bytes) -> Module | None:
        """The module as it was read here, where that was from such a file."""
        module = self._modules.get(name)
        if module is None or (module.source.path, module.is_package) != (path, is_package):
            return None
        return module if self._bytes.get(path) == data else None

    def read(self, path: str) -> bytes:
        """A file's bytes, read once."""
        data = self._bytes.get(path)
        if data is None:
            data = self._bytes[path] = self.tree.read(path)
            self.counters.files_read += 1
            self.counters.bytes_read += len(data)
        return data

    def module_name(self, path: str) -> str:
        """The dotted name of a file of the tree."""
        name = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        if self.apart:
            top, dot, rest = name.partition(".")
            return f"{top}{_APART}{dot}{rest}"
        return name

    def _spelt(self, name: str) -> str:
        """A module's name as the tree's files are called."""
        return name.replace(_APART, "", 1) if self.apart else name

    def files_mentioning(self, text: str) -> tuple[str, ...]:
        """Python files whose bytes contain ``text`` (no decoding, no parse), in order."""
        found = self._mentions.get(text)
        if found is None:
            needle = text.encode()
            files = self.tree.python_files if self.tree.partial else self.tree.all_python_files
            if self.tree.records:
                found = tuple(p for p in files if self._has(p, needle))
            else:
                known, peek = self._bytes, self.peek
                found = tuple(p for p in files if needle in (known.get(p) or peek(p)))
            self._mentions[text] = found
        return found

    def files_with(self, *texts: str) -> tuple[str, ...]:
        """Python files of the whole tree, also beside a part of it, whose bytes contain every text."""
        if not self.tree.partial:
            others = [frozenset(self.files_mentioning(text)) for text in texts[1:]]
            return tuple(p for p in self.files_mentioning(texts[0]) if all(p in other for other in others))
        needles = [text.encode() for text in texts]
        return tuple(p for p in self.tree.all_python_files if self._has_all(p, needles))

    def mentions(self, path: str, text: str) -> bool:
        """Whether one file's bytes contain ``text``: cheaper than to look for it in all of them."""
        return self._has(path, text.encode())

    def _has_all(self, path: str, needles: list[bytes]) -> bool:
        """Whether a file has all of certain bytes; what is only looked at is not kept."""
        try:
            data = self._bytes.get(path) or self.tree.read(path)
        except OSError:
            return False
        return all(needle in data for needle in needles)

    def _has(self, path: str, needle: bytes) -> bool:
        """Whether a file has certain bytes; where questions are recorded, nothing else of it is asked."""
        if path in self._bytes or not self.tree.records:
            return needle in self.peek(path)
        try:
            return self.tree.contains(path, needle)
        except OSError:
            return False

    def modules_defining(self, name: str) -> Iterable[Module]:
        """Modules with a ``def``, ``class`` or assignment of that name at any level, by byte search."""
        pattern = re.compile(
            rf"^\s*(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b|^{re.escape(name)}\s*[:=]".encode(), re.M
        )
        for path in self.files_mentioning(name):
            if pattern.search(self.peek(path)):
                module = self.module(self.module_name(path))
                if module is not None:
                    yield module

    def importers_of(self, name: str) -> tuple[str, ...]:
        """Files whose text imports the module ``name`` or something below it, absolutely."""
        found = self._importers.get(name)
        if found is None:
            name = self._spelt(name)
            parent, _, last = name.rpartition(".")
            listing, part = f"{parent} import", last.encode()
            hits = [p for p in self.files_mentioning(name) if _imports(self.peek(p), name.encode())]
            hits += [
                p for p in self.files_mentioning(listing) if _lists(self.peek(p), listing.encode(), part)
            ]
            found = self._importers[name] = tuple(dict.fromkeys(hits))
        return found

    def peek(self, path: str) -> bytes:
        """A file's bytes without counting it as read; empty where it cannot be."""
        data = self._bytes.get(path)
        if data is None:
            try:
                data = self.tree.read(path)
            except OSError as error:
                self.faults[path] = SourceFault(f"cannot be read: {error.strerror or error}")
                data = b""
            self._bytes[path] = data
        return data


_BEFORE = re.compile(rb"[ \t]*(?:import|from)[ \t]+\Z")
_LISTED = re.compile(rb"[ \t]*(?:\(([^)]*)\)|([^\n]*))")


def _statements(data: bytes, name: bytes) -> Iterator[int]:
    """Where the name of a line's import statement ends, for every line that imports ``name`` first."""
    at = data.find(name)
    while at >= 0:
        line = data.rfind(b"\n", 0, at) + 1
        if at - line < 40 and _BEFORE.match(data, line, at):
            yield at + len(name)
        at = data.find(name, at + 1)


def _imports(data: bytes, name: bytes) -> bool:
    """Whether a line of the file starts by importing ``name`` or something below it."""
    ends = _statements(data, name)
    return any(not (data[end : end + 1].isalnum() or data[end : end + 1] == b"_") for end in ends)


def _lists(data: bytes, listing: bytes, name: bytes) -> bool:
    """Whether a ``from … import`` statement that starts with ``listing`` takes ``name``."""
    word = re.compile(rb"\b" + re.escape(name) + rb"\b")
    for end in _statements(data, listing):
        found = _LISTED.match(data, end)
        if found is not None and word.search(found.group(1) or found.group(2) or b""):
            return True
    return False
