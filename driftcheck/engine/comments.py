"""Suppressions as they stand in a file: ``# drift: ignore[DC201] until vllm>=0.18 reason``.

``ignore`` covers its own line, and where it is the first or last line of a statement all of that;
alone on its line it covers the next line of code, as ``ignore-next-line`` does wherever it stands.
``ignore-file`` covers the file.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

import msgspec

MARKER = b"drift:"
END_OF_FILE = 2**31

_COMMENT = re.compile(
    r"#\s*drift:\s*(?P<kind>ignore(?:-next-line|-file)?)(?![\w-])\s*(?:\[(?P<codes>[^\]\n]*)(?P<closed>\])?)?"
    r"(?P<rest>(?:(?!\s#\s*(?:noqa|nosec|(?:type|pyright|ruff|pylint|mypy|fmt|isort|drift|pragma):))[^\n])*)"
)
_UNTIL = re.compile(
    r"\buntil\s+(?P<name>(?=[\d._-]*[A-Za-z])[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*"
    r"(?P<specifier>(?:[<>=!~]=?=?\s*)?\d[\w.*+!-]*(?:\s*,\s*[<>=!~]=?=?\s*\d[\w.*+!-]*)*)"
)


_MEANS_VERSION = re.compile(r"\s*until\s+(?:[\w.-]*\s*[<>=!~]|\d)")


class Suppression(msgspec.Struct, frozen=True):
    """One comment: where it is, what it covers, which codes (none named: all), and until when.

    ``column`` and ``end_column`` enclose the comment's text, before which are ``gap`` blanks;
    ``alone`` says that its whole line can go with it. ``until`` is a library's name and the versions
    from which on it no longer holds.
    """

    path: str
    line: int
    column: int
    end_column: int
    first: int
    last: int
    codes: tuple[str, ...]
    text: str
    alone: bool
    gap: int
    until: tuple[str, str] | None = None
    fault: str = ""
    """Why the comment suppresses nothing, where it is written wrongly."""


class _Comment(msgspec.Struct):
    line: int
    column: int
    text: str
    alone: bool
    inside: bool = False


def suppressions(path: str, data: bytes) -> list[Suppression]:
    """The suppressions of one file, in order; of bytes that are no text, none."""
    if MARKER not in data:
        return []
    text = _text(data)
    if text is None:
        return []
    comments, statements = _layout(text)
    lines = text.split("\n")
    found: list[Suppression] = []
    for comment in comments:
        for match in _COMMENT.finditer(comment.text):
            first, last = _covered(match["kind"], comment, statements, text)
            whole = match[0].rstrip()
            start = comment.column + match.start()
            before = lines[comment.line - 1][:start]
            found.append(
                Suppression(
                    path=path,
                    line=comment.line,
                    column=start + 1,
                    end_column=start + len(whole) + 1,
                    first=first,
                    last=last,
                    codes=_codes(match["codes"]),
                    fault=_fault(match["codes"], match["closed"]) or _until_fault(match["rest"]),
                    text=whole,
                    alone=comment.alone and whole == comment.text.rstrip() and comment.line < len(lines),
                    gap=len(before) - len(before.rstrip()),
                    until=_until(match["rest"]),
                )
            )
    return found


def _text(data: bytes) -> str | None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        return None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _codes(text: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _fault(codes: str | None, closed: str | None) -> str:
    """Why what stands in brackets names no check: brackets are never taken for the lack of any."""
    if codes is None:
        return ""
    if closed is None:
        return "its bracket is not closed"
    return "" if _codes(codes) else "there is no code in its brackets"


def _until_fault(rest: str) -> str:
    """Why an ``until`` that means a version is none: else what it should end would go on for ever."""
    if _MEANS_VERSION.match(rest) and not _UNTIL.match(rest.lstrip()):
        return "its until names no version of a library (until name>=1.2)"
    return ""


def _until(rest: str) -> tuple[str, str] | None:
    match = _UNTIL.search(rest)
    if match is None:
        return None
    specifier = re.sub(r"\s+", "", match["specifier"])
    return match["name"], specifier if specifier[0] in "<>=!~" else f">={specifier}"


def _layout(text: str) -> tuple[list[_Comment], list[tuple[int, int]]]:
    """The comments, and the first and last line of every statement.

    A file that the tokenizer refuses is read line by line, each line a statement of its own.
    """
    comments: list[_Comment] = []
    statements: list[tuple[int, int]] = []
    start: int | None = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            line, column = token.start
            if token.type == tokenize.COMMENT:
                alone = not token.line[:column].strip() if token.line else False
                comments.append(_Comment(line, column, token.string, alone, inside=start is not None))
            elif token.type == tokenize.NEWLINE:
                statements.append((start or line, line))
                start = None
            elif start is None and token.type not in _LAYOUT:
                start = line
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return list(_line_comments(text)), []
    return comments, statements


_LAYOUT = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER})


def _line_comments(text: str) -> Iterator[_Comment]:
    for number, line in enumerate(text.split("\n"), 1):
        column = line.find("#")
        if column >= 0:
            yield _Comment(number, column, line[column:], not line[:column].strip())


def _covered(kind: str, comment: _Comment, statements: list[tuple[int, int]], text: str) -> tuple[int, int]:
    """The first and last line that a comment covers."""
    if kind == "ignore-file":
        return 1, END_OF_FILE
    if kind == "ignore" and not comment.alone:
        return _statement(comment.line, statements)
    following = _next_code(comment.line, text)
    if comment.inside:
        return following, following
    return _statement(following, statements)


def _statement(line: int, statements: list[tuple[int, int]]) -> tuple[int, int]:
    """The statement that begins or ends on a line; else the line itself."""
    return next((pair for pair in statements if line in pair), (line, line))


def _next_code(line: int, text: str) -> int:
    lines = text.split("\n")
    for number in range(line + 1, len(lines) + 1):
        words = lines[number - 1].strip()
        if words and not words.startswith("#"):
            return number
    return line
