"""What a distribution's own metadata files say. Text in, values out; nothing is executed."""

from __future__ import annotations

import configparser
import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

EntryPoints = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Metadata:
    """Name, version and requirement lines of a distribution; None or empty where not stated."""

    name: str | None = None
    version: str | None = None
    requires: tuple[str, ...] = ()
    entry_points: EntryPoints = field(default_factory=dict)


def decode(data: bytes) -> str:
    """Text of a metadata file; bytes that are not UTF-8 are replaced."""
    return data.decode("utf-8-sig", "replace")


def parse_metadata(text: str) -> Metadata:
    """Read the headers of a METADATA or PKG-INFO file."""
    name = version = None
    requires = []
    for key, value in _headers(text):
        if key == "name":
            name = name or value
        elif key == "version":
            version = version or value
        elif key == "requires-dist" and value:
            requires.append(value)
    return Metadata(name, version, tuple(requires))


def _headers(text: str) -> Iterator[tuple[str, str]]:
    key, value = "", ""
    for line in text.splitlines():
        if not line.strip():
            break
        if line[0] in " \t":
            value += " " + line.strip()
            continue
        if key:
            yield key, value
        head, _, tail = line.partition(":")
        key, value = head.strip().lower(), tail.strip()
    if key:
        yield key, value


def read_ini(text: str) -> configparser.RawConfigParser:
    """An INI file (setup.cfg, entry_points.txt); empty where it cannot be read."""
    parser = configparser.RawConfigParser(delimiters=("=",), strict=False, empty_lines_in_values=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return configparser.RawConfigParser()
    return parser


def parse_entry_points(text: str) -> EntryPoints:
    """Read an entry_points.txt: group to name to ``module:attribute``."""
    parser = read_ini(text)
    return {
        group: {name.strip(): value.strip() for name, value in parser.items(group) if value}
        for group in parser.sections()
    }


def entry_point_lines(groups: dict[str, Iterable[str]]) -> EntryPoints:
    """Entry points from ``name = module:attribute`` lines, by group (setup.cfg, setup.py)."""
    found: EntryPoints = {}
    for group, lines in groups.items():
        for line in lines:
            name, separator, value = line.partition("=")
            if separator and name.strip():
                found.setdefault(group, {})[name.strip()] = value.strip()
    return found


def parse_requires_txt(text: str) -> tuple[str, ...]:
    """Requirement lines of an egg-info's requires.txt, its sections written as markers."""
    found, marker = [], ""
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("[") and line.endswith("]"):
            extra, _, condition = line[1:-1].partition(":")
            marker = join_markers(f'extra == "{extra}"' if extra else "", condition)
        elif line and not line.startswith("#"):
            found.append(with_marker(line, marker))
    return tuple(found)


def join_markers(*markers: str) -> str:
    """Several markers as one, joined by ``and``."""
    present = [marker for marker in markers if marker]
    if len(present) < 2:
        return "".join(present)
    return " and ".join(f"({marker})" if " or " in marker else marker for marker in present)


def with_marker(requirement: str, marker: str) -> str:
    """`requirement` under a further condition."""
    if not marker:
        return requirement
    head, _, own = requirement.partition(";")
    return f"{head.strip()}; {join_markers(own.strip(), marker)}"


def parse_requirements_txt(text: str) -> tuple[str, ...]:
    """Requirement lines of a requirements file: no options, comments or URLs."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if line and not line.startswith("-") and "://" not in line.split(";")[0].split("@")[0]:
            found.append(re.sub(r"\s--hash=\S+", "", line).strip())
    return tuple(found)


def record_paths(text: str) -> list[str]:
    """The paths that a RECORD lists, with ``/``; absolute ones and those that climb out are dropped."""
    found = []
    for row in csv.reader(text.splitlines()):
        path = row[0].replace("\\", "/") if row else ""
        if path and not path.startswith("/") and ".." not in path.split("/") and ":" not in path:
            found.append(path)
    return found


def record_hashes(text: str) -> dict[str, str]:
    """sha256 by path, as a RECORD states them (URL-safe base64 without padding)."""
    found = {}
    for row in csv.reader(text.splitlines()):
        if len(row) >= 2 and row[1].startswith("sha256="):
            found[row[0]] = row[1][len("sha256=") :]
    return found


IMPORTABLE = (".py", ".pyi", ".pyx", ".so", ".pyd")


def top_level_names(paths: Iterable[str]) -> tuple[str, ...]:
    """The top-level import names that files at these import paths make, sorted."""
    names = set()
    for path in paths:
        head, separator, _ = path.partition("/")
        if not path.endswith(IMPORTABLE):
            continue
        name = head if separator else head.split(".")[0]
        if name.isidentifier() and name != "__pycache__":
            names.add(name)
    return tuple(sorted(names))
