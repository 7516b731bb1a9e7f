"""The outline of a file: its statements with their spans and names, without a parse tree.

One pass blanks strings and comments, so that what is left can be cut into statements by
indentation and bracket balance alone. It costs a small part of a parse, which matters because most
files of a large provider are asked for one name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

OPAQUE = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
    r"|\#[^\n]*"
    r"|\\\n",
    re.DOTALL,
)
"""A string, a comment, or the end of a line that goes on."""
_WORD = re.compile(r"(?:async[ \t]+)?(?P<word>[^\W\d]\w*|@|.)", re.DOTALL)
_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_TARGET = re.compile(r"([^\W\d]\w*)\s*(?::(?!=)|(?:[-+*/|&^%@]|//|\*\*|<<|>>)?=(?!=))")
_CHAINED = re.compile(r"[^\W\d]\w*\s*=\s*[^\W\d]\w*\s*=(?!=)")
_BODY_LINE = re.compile(r"\n([ \t]+)(?=\S)")

_CLAUSES = frozenset({"elif", "else", "except", "finally", "case"})
_BLOCKS = frozenset({"if", "try", "with", "for", "while", "match"}) | _CLAUSES


class Item:
    """One statement: ``kind`` is its keyword (``def``, ``class``, ``from``, ``if`` …), ``assign`` or
    ``other``; ``start`` and ``end`` are character offsets (decorators included, indentation not)."""

    __slots__ = ("blank", "end", "indent", "kind", "name", "start")

    def __init__(self, kind: str, name: str | None, start: int, end: int, indent: str, blank: str) -> None:
        self.kind = kind
        self.name = name
        self.start = start
        self.end = end
        self.indent = indent
        self.blank = blank

    @property
    def is_block(self) -> bool:
        """Whether the statement holds a suite whose statements run in the same scope."""
        return self.kind in _BLOCKS

    def header_end(self) -> int:
        """The offset just past the colon that ends the header of a compound statement."""
        depth = 0
        at = self.start
        if self.kind in ("def", "class"):
            found = _DEFINED.search(self.blank, self._decorators_end(), self.end)
            at = found.end() if found else at
        in_lambda = 0
        for match in _HEADER.finditer(self.blank, at, self.end):
            token = match.group()
            if token in "([{":
                depth += 1
            elif token in ")]}":
                depth -= 1
            elif token == "lambda":
                in_lambda += depth == 0
            elif depth == 0 and match.group(0) == ":":
                if in_lambda:
                    in_lambda -= 1
                else:
                    return match.end()
        return self.end

    def _decorators_end(self) -> int:
        at = self.start
        while self.blank.startswith("@", at):
            stop = _next_statement(self.blank, at, self.end, self.indent)
            if stop is None:
                return at
            at = stop
        return at

    def body(self) -> list[Item] | None:
        """The statements of the suite; None where it stands on the header's line."""
        header = self.header_end()
        first = _BODY_LINE.search(self.blank, header - 1, self.end)
        if first is None or self.blank[header : first.start()].strip(" \t"):
            line_end = self.blank.find("\n", header, self.end)
            rest = self.blank[header : line_end if line_end >= 0 else self.end]
            if first is None or rest.strip():
                return None
        indent = first.group(1)
        return list(_cut(self.blank, header, self.end, indent))


_HEADER = re.compile(r"[(\[{)\]}:]|\blambda\b")


def blank_text(text: str) -> str:
    """``text`` with strings as underscores and comments as spaces, each of the same length."""
    return OPAQUE.sub(_filler, text)


def _filler(match: re.Match[str]) -> str:
    found = match.group()
    return (" " if found[0] in "#\\" else "_") * len(found)


def outline(text: str) -> list[Item]:
    """The top-level statements of a file, in order. Never raises: nonsense gives nonsense items."""
    blank = blank_text(text)
    return list(_cut(blank, 0, len(blank), ""))


def _starts(blank: str, start: int, end: int, indent: str) -> Iterator[int]:
    """Where lines of just that indentation have their first character, between two offsets."""
    at_line = start == 0 or blank[start - 1] == "\n"
    first = start + len(indent)
    if at_line and first < end and blank.startswith(indent, start) and not blank[first].isspace():
        yield first
    for match in _indented(indent).finditer(blank, start, end):
        yield match.end()


_PATTERNS: dict[str, re.Pattern[str]] = {}


def _indented(indent: str) -> re.Pattern[str]:
    found = _PATTERNS.get(indent)
    if found is None:
        # It begins with the newline, for which the text is searched faster than line by line.
        found = _PATTERNS[indent] = re.compile(rf"\n{re.escape(indent)}(?=\S)")
    return found


def _next_statement(blank: str, start: int, end: int, indent: str) -> int | None:
    for at in _starts(blank, start + 1, end, indent):
        if _balanced(blank, start, at) and blank[at] not in ")]}":
            return at
    return None


def _balanced(blank: str, start: int, end: int) -> bool:
    count = blank.count
    return (
        count("(", start, end) == count(")", start, end)
        and count("[", start, end) == count("]", start, end)
        and count("{", start, end) == count("}", start, end)
    )


def _cut(blank: str, start: int, end: int, indent: str) -> Iterator[Item]:
    begin: int | None = None
    decorated: int | None = None
    for at in [*_starts(blank, start, end, indent), end]:
        if begin is None:
            begin = at
            continue
        if at != end and (blank[at] in ")]}" or not _balanced(blank, begin, at)):
            continue
        if blank[begin] == "@":
            if decorated is None:
                decorated = begin
        else:
            yield _item(blank, begin, at, indent, decorated)
            decorated = None
        begin = at


def _item(blank: str, begin: int, end: int, indent: str, decorated: int | None) -> Item:
    stop = len(blank[begin:end].rstrip()) + begin
    start = begin if decorated is None else decorated
    match = _WORD.match(blank, begin)
    word = match.group("word") if match else ""
    if word in ("def", "class"):
        found = _DEFINED.match(blank, begin)
        return Item(word, found.group(1) if found else None, start, stop, indent, blank)
    if word in ("import", "from"):
        return Item(word, None, start, stop, indent, blank)
    target = _TARGET.match(blank, begin, stop)
    if target and word not in _KEYWORD_STARTS:
        if _CHAINED.match(blank, begin, stop):
            return Item("other", None, start, stop, indent, blank)
        return Item("assign", target.group(1), start, stop, indent, blank)
    if word in _BLOCKS and not _is_soft_name(blank, word, begin, stop):
        return Item(word, None, start, stop, indent, blank)
    return Item("other", None, start, stop, indent, blank)


_KEYWORD_STARTS = frozenset({"else", "try", "finally", "lambda", "except"})
_SOFT_USE = re.compile(r"\w+\s*(?:[.=,;)\]]|\(.*\)\s*$|\[.*\]\s*(?:=.*)?$|$)", re.DOTALL)


def _is_soft_name(blank: str, word: str, begin: int, stop: int) -> bool:
    """Whether ``match`` or ``case`` is an ordinary name here rather than a keyword."""
    if word not in ("match", "case"):
        return False
    head = blank[begin:stop].split("\n", 1)[0]
    return not head.rstrip().endswith(":") or bool(re.match(r"\w+\s*[.=]", head))
