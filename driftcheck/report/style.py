"""Styled text for a terminal: runs of characters with a style, wrapped by cells and painted.

Made here, since importing rich's console takes longer than a warm check; rich only measures
characters, and only where a text is not ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Run = tuple[str, str]
"""Characters and the name of their style; an empty name is plain."""

Line = list[Run]

_CODES = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "blue": "34", "cyan": "36"}
_WORD = re.compile(r"\s*\S+\s*|\s+")


def cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def width_of_line(line: Iterable[Run]) -> int:
    """How many cells a line takes."""
    return sum(cells(text) for text, _ in line)


def paint(line: Iterable[Run], color: bool) -> str:
    """The line as characters, with escape sequences where colour is wanted."""
    if not color:
        return "".join(text for text, _ in line)
    return "".join(_painted(text, style) for text, style in joined(line))


def joined(line: Iterable[Run]) -> Line:
    """The line with neighbouring runs of one style made one, and without empty ones."""
    found: Line = []
    for text, style in line:
        if found and found[-1][1] == style:
            found[-1] = (found[-1][0] + text, style)
        elif text:
            found.append((text, style))
    return found


def wrap(line: Line, room: int) -> list[Line]:
    """The line broken between words, and inside a word only where it alone is wider than the room."""
    rows: list[Line] = [[]]
    used = 0
    for word in _words(line):
        size = width_of_line(_trimmed(word))
        if used and used + size > room:
            rows.append([])
            used = 0
        while size > room:
            head, word = _cut(word, room)
            rows[-1] += head
            rows.append([])
            size = width_of_line(_trimmed(word))
        rows[-1] += word
        used += width_of_line(word)
    return [_trimmed(row) for row in rows if row] or [[]]


def _painted(text: str, style: str) -> str:
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m" if codes else text


def _words(line: Line) -> Iterable[Line]:
    """The words of a line, each with the blanks after it, whatever styles it is made of."""
    text = "".join(part for part, _ in line)
    styles = [style for part, style in line for _ in part]
    for match in _WORD.finditer(text):
        yield joined((text[at], styles[at]) for at in range(*match.span()))


def _cut(word: Line, room: int) -> tuple[Line, Line]:
    """As many characters as there is room for, at least one, and the rest."""
    characters = [(character, style) for text, style in word for character in text]
    taken = used = 0
    while taken < len(characters) and used + cells(characters[taken][0]) <= room:
        used += cells(characters[taken][0])
        taken += 1
    taken = max(taken, 1)
    return joined(characters[:taken]), joined(characters[taken:])


def _trimmed(line: Line) -> Line:
    """The line without blanks at its end."""
    kept = list(line)
    while kept:
        text, style = kept.pop()
        if text.rstrip():
            return [*kept, (text.rstrip(), style)]
    return []
