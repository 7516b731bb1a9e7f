"""What to do about a code, in a sentence or two: the start of its page's "Use instead"."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from driftcheck.rulesdb.codes import load_codes

_HEADING = "## Use instead"


def load_hints(codes: Iterable[str], user: Iterable[Path] = ()) -> dict[str, str]:
    """For each code with a page, the first paragraph of "Use instead" on one line.

    Reads no more than the pages of these codes. Raises RulesError for a malformed head.
    """
    known = load_codes(user)
    hints = {code: _first_paragraph(known[code].path) for code in sorted(set(codes)) if code in known}
    return {code: hint for code, hint in hints.items() if hint}


def _first_paragraph(path: Path) -> str:
    words: list[str] = []
    inside = False
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if inside and (line.startswith(("#", "```")) or (words and not line.strip())):
                break
            if inside:
                words += line.split()
            inside = inside or line.rstrip() == _HEADING
    return " ".join(words).replace("`", "")
