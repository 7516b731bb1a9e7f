"""The prose of rule pages for reports: what a check finds, and its whole help without the cases."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from driftcheck.model.finding import Severity
from driftcheck.rulesdb.codes import load_codes


class RuleText(msgspec.Struct, frozen=True):
    """What a report says about a code: a sentence, and the page's prose as Markdown."""

    code: str
    name: str
    severity: Severity
    summary: str
    help: str


def load_texts(codes: Iterable[str], user: Iterable[Path] = ()) -> dict[str, RuleText]:
    """The prose of each code with a page; no page is read beyond its first case. Raises RulesError."""
    known = load_codes(user)
    found: dict[str, RuleText] = {}
    for code in sorted(set(codes)):
        info = known.get(code)
        if info is not None:
            prose = _prose(info.path)
            found[code] = RuleText(code, info.name, info.severity, _first_sentence(prose), prose)
    return found


def _prose(path: Path) -> str:
    """The page between its head and its first case."""
    kept: list[str] = []
    rules = 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith(("## case:", "## near miss:")):
                break
            if rules >= 2:
                kept.append(line)
            elif line.rstrip() == "---":
                rules += 1
    return "".join(kept).strip()


def _first_sentence(prose: str) -> str:
    words: list[str] = []
    for line in prose.split("\n"):
        if words and not line.strip():
            break
        if line.strip() and not line.startswith("#"):
            words += line.split()
    text = " ".join(words).replace("`", "")
    sentence, stop, _ = text.partition(". ")
    return sentence + "." if stop else text
