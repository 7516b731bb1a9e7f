"""Copies of trees, rules and findings in which identifiers are replaced, made as they are read."""

import hashlib
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from driftcheck.sources.tree import Files, Tree

WORD = re.compile(r"[A-Za-z0-9_]+")
WORD_BYTES = re.compile(rb"[A-Za-z0-9_]+")
TOML_STRING = re.compile(r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'')


@dataclass(frozen=True)
class Renaming:
    """A bijection on identifiers, applied to whole words of any text: code, strings, paths."""

    table: dict[str, str] = field(hash=False)

    @cached_property
    def _bytes(self) -> dict[bytes, bytes]:
        return {old.encode(): new.encode() for old, new in self.table.items()}

    @cached_property
    def _backward(self) -> dict[str, str]:
        return {new: old for old, new in self.table.items()}

    @property
    def key(self) -> str:
        return hashlib.sha256(repr(sorted(self.table.items())).encode()).hexdigest()[:16]

    def text(self, text: str) -> str:
        return WORD.sub(lambda m: self.table.get(m[0], m[0]), text)

    def back(self, text: str) -> str:
        return WORD.sub(lambda m: self._backward.get(m[0], m[0]), text)

    def data(self, data: bytes) -> bytes:
        table = self._bytes
        return WORD_BYTES.sub(lambda m: table.get(m[0], m[0]), data)


class RenamedFiles:
    """Files whose paths and bytes are renamed when asked for; an untouched file costs nothing."""

    def __init__(self, below: Files, renaming: Renaming) -> None:
        self._below = below
        self._renaming = renaming

    def read(self, path: str) -> bytes:
        data = self._below.read(self._renaming.back(path))
        return self._renaming.data(data) if path.endswith((".py", ".pyi", ".txt", ".toml", ".cfg")) else data

    def listdir(self, path: str) -> frozenset[str]:
        return frozenset(map(self._renaming.text, self._below.listdir(self._renaming.back(path))))

    def paths(self) -> Iterable[str]:
        return sorted(map(self._renaming.text, self._below.paths()))


def renamed_tree(tree: Tree, renaming: Renaming) -> Tree:
    text = renaming.text
    return replace(
        tree,
        spec=text(tree.spec),
        files=RenamedFiles(tree.files, renaming),
        packages=tuple(map(text, tree.packages)),
        name=text(tree.name) if tree.name else None,
        root=None,
        key=f"{text(tree.key)}-renamed-{renaming.key}",
        requires=tuple(map(text, tree.requires)),
        entry_points={
            group: {text(name): text(value) for name, value in entries.items()}
            for group, entries in tree.entry_points.items()
        },
    )


def renamed_rules(source: Path, destination: Path, renaming: Renaming) -> Path:
    """A copy of rules/: pages as they are but for the words, facts with their string values renamed.

    Keys of a facts file and the front matter of a page are driftcheck's own words and stay.
    """
    shutil.rmtree(destination, ignore_errors=True)
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        place = destination / renaming.text(path.relative_to(source).as_posix())
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".toml":
            content = TOML_STRING.sub(lambda m: renaming.text(m[0]), path.read_text())
        elif path.suffix == ".md":
            head, mark, body = path.read_text().partition("\n---\n")
            content = head + mark + renaming.text(body) if mark else renaming.text(head)
        else:
            content = path.read_text()
        place.write_text(content)
    return destination


def essence(finding, renaming: Renaming | None = None) -> tuple:
    """What must be the same of a finding; columns shift with the words' lengths."""
    text = renaming.text if renaming else str
    return (
        finding.code,
        text(finding.path),
        finding.line,
        finding.end_line,
        finding.severity,
        finding.confidence,
        finding.status,
        text(finding.symbol),
        text(finding.contract or ""),
        tuple(sorted((text(r.path), r.line) for r in finding.related)),
        tuple((e.version, text(e.path), e.line) for e in finding.evidence),
        finding.fix.applicability if finding.fix else None,
    )
