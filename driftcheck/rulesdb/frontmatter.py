"""The head of a rule page: ``key: value`` lines between two ``---`` lines."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from driftcheck.model.finding import Severity
from driftcheck.rulesdb.errors import RulesError

KEYS = ("code", "name", "severity", "since")
SEVERITIES = get_args(Severity)


def read_front_matter(path: Path, lines: Iterable[str]) -> tuple[dict[str, str], int]:
    """The head's keys and values, and how many lines it takes.

    ``lines`` may be an open file: no more of it is read than the head. Raises RulesError for a
    missing fence, an unknown, repeated or missing key, an unknown severity, and a file name that
    does not agree with the head.
    """
    numbered = _numbered(lines)
    _, first = next(numbered, (1, ""))
    if first != "---":
        raise RulesError.at(path, 1, "a rule page starts with a line '---'")
    found: dict[str, str] = {}
    for number, line in numbered:
        if line == "---":
            _validate(path, found)
            return found, number
        if not line:
            continue
        key, colon, value = line.partition(":")
        key, value = key.strip(), value.strip().strip("\"'")
        if not colon or not value:
            raise RulesError.at(path, number, f"expected 'key: value', got {line!r}")
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise RulesError.at(path, number, f"unknown key {key!r}{hint}; allowed: {', '.join(KEYS)}")
        if key in found:
            raise RulesError.at(path, number, f"key {key!r} is given twice")
        if key == "severity" and value not in SEVERITIES:
            raise RulesError.at(path, number, f"unknown severity {value!r}; allowed: {', '.join(SEVERITIES)}")
        if key == "code" and not is_code(value):
            raise RulesError.at(path, number, f"{value!r} is no code; a code is DC and three digits")
        found[key] = value
    raise RulesError.at(path, 1, "the head has no closing line '---'")


def is_code(text: str) -> bool:
    """Whether the text has the form of a code: ``DC`` and three digits."""
    return len(text) == 5 and text.startswith("DC") and text.isascii() and text[2:].isdigit()


def _numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        yield number, line.rstrip()


def _validate(path: Path, found: dict[str, str]) -> None:
    missing = [key for key in KEYS if key not in found]
    if missing:
        raise RulesError.at(path, 1, f"missing in the head: {', '.join(missing)}")
    expected = f"{found['code']}-{found['name']}.md"
    if path.name != expected:
        raise RulesError.at(path, 1, f"the head's code and name want the file name {expected}")
