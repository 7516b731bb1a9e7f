"""Which codes a word means: a code (DC201), a group (DC2, DC), a check's name, or ALL."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from driftcheck.rulesdb import CodeInfo

EVERY = "DC"


def prefix_of(word: str, codes: Mapping[str, CodeInfo]) -> str | None:
    """The beginning that the codes meant share (a whole code, ``DC2``, ``DC``); None where none is meant."""
    word = word.strip()
    if word.upper() == "ALL":
        return EVERY
    prefix = word.upper()
    if prefix.startswith(EVERY) and any(code.startswith(prefix) for code in codes):
        return prefix
    return next((info.code for info in codes.values() if info.name == word.lower()), None)


def suggestion(word: str, codes: Mapping[str, CodeInfo]) -> str:
    """What to write instead of a word that means no code, as the rest of a sentence."""
    names = {info.name: info.code for info in codes.values()}
    near = _near_codes(word.upper(), codes) or [
        f"{name} ({names[name]})" for name in difflib.get_close_matches(word.lower(), names, 1)
    ]
    return f"did you mean {near[0]}?" if near else "'driftcheck rules list' shows the codes"


def _near_codes(word: str, codes: Mapping[str, CodeInfo]) -> list[str]:
    """Codes like a word, nearest first: in the same group where the word has one, by the last digits."""
    group = [code for code in codes if code[:3] == word[:3]]
    if group and word[3:].isdigit():
        return sorted(group, key=lambda code: abs(int(code[3:]) - int(word[3:])))
    return difflib.get_close_matches(word, codes, 1)


def specificity(code: str, prefixes: Iterable[str]) -> int:
    """How long the longest of the prefixes is that the code has; 0 where it has none."""
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=0)
