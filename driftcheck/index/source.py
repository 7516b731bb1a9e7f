"""One source file: decoding, positions, and parsing of slices."""

from __future__ import annotations

import ast
import codecs
import io
import re
import sys
import tokenize
import warnings
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from driftcheck.index.downlevel import downlevel
from driftcheck.index.nodes import nodes_of
from driftcheck.index.outline import Item, blank_text, outline
from driftcheck.model import Span

MAX_SOURCE_BYTES = 16_000_000
"""A generated file beyond this is treated as unreadable rather than stall a run."""

MAX_REFUSED = 50
"""A file of which so many pieces parse in no grammar is damaged, not new: further tries would only cost."""


class SourceFault(Exception):
    """A file that cannot be read as Python: wrong encoding, a syntax error, too deep, too large."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def decode(data: bytes) -> str:
    """Source text by PEP 263, newlines as ``\\n``, without a byte order mark; raises SourceFault."""
    if len(data) > MAX_SOURCE_BYTES:
        raise SourceFault(f"file has {len(data)} bytes, more than the limit of {MAX_SOURCE_BYTES}")
    try:
        text = _decode(data)
    except (UnicodeDecodeError, LookupError, SyntaxError) as error:
        raise SourceFault(f"cannot be decoded: {error}") from error
    if "\0" in text:
        raise SourceFault("contains a NUL byte", text[: text.index("\0")].count("\n") + 1)
    if _has_huge_number(text):
        raise SourceFault("holds a number of thousands of digits, which Python does not write out")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


_HUGE_NUMBER = re.compile(r"0[xXbBoO][0-9a-fA-F_]{3500}")


def _has_huge_number(text: str) -> bool:
    """Whether the text has an integer that ``ast`` reads and ``repr`` refuses; a decimal one ``ast`` refuses."""
    return _HUGE_NUMBER.search(text) is not None and _HUGE_NUMBER.search(blank_text(text)) is not None


def _decode(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    head = data[:400].split(b"\n", 2)
    if any(b"coding" in line for line in head[:2]):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    return data.decode("utf-8")


class Source:
    """The text of one file with lazy line table and outline. Raises SourceFault on construction."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.text = decode(data)
        self._refused = 0

    @cached_property
    def _starts(self) -> list[int]:
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        return [0, *accumulate(lengths[:-1])]

    @cached_property
    def items(self) -> list[Item]:
        """The top-level statements of the file."""
        return outline(self.text)

    def line_at(self, offset: int) -> int:
        """The line (from 1) that holds a character offset."""
        return bisect_right(self._starts, offset)

    @cached_property
    def blank(self) -> str:
        """The text with strings and comments blanked, offsets unchanged."""
        return self.items[0].blank if self.items else blank_text(self.text)

    def offset(self, line: int, byte_column: int) -> int:
        """The character offset of a line and a UTF-8 byte column, as ``ast`` gives them."""
        text = self.line(line)
        if not text.isascii():
            byte_column = len(text.encode()[:byte_column].decode("utf-8", "ignore"))
        return self._starts[line - 1] + byte_column

    def line(self, number: int) -> str:
        """A line's text without its newline; empty past the end."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]

    def span(self, node: ast.AST) -> Span:
        """A node's region with code-point columns (``ast`` counts UTF-8 bytes)."""
        return Span(
            node.lineno,  # type: ignore[attr-defined]
            self.column(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            node.end_lineno,  # type: ignore[attr-defined]
            self.column(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def column(self, line: int, byte_offset: int) -> int:
        """The code-point column (from 1) of a UTF-8 byte offset in a line."""
        text = self.line(line)
        if text.isascii():
            return byte_offset + 1
        return len(text.encode()[:byte_offset].decode("utf-8", "ignore")) + 1

    def parse(self, item: Item) -> ast.stmt:
        """The parsed statement of an outline item, positions as in the file; raises SourceFault."""
        first = self.line_at(item.start)
        piece = self.text[item.start : item.end]
        if item.indent:
            # A wrapping block keeps columns as they are in the file.
            text = "\n" * max(first - 2, 0) + ("if 1:\n" if first > 1 else "if 1:") + item.indent + piece
            block = self.parsed(text).body[0]
            assert isinstance(block, ast.If)
            return block.body[0]
        return self.parsed("\n" * (first - 1) + piece).body[0]

    def parsed(self, text: str) -> ast.Module:
        """`parse_module` of a piece of this file; after many refusals, without a try at newer grammar."""
        try:
            return parse_module(text, newer=self._refused < MAX_REFUSED)
        except SourceFault:
            self._refused += 1
            raise

    @cached_property
    def tree(self) -> ast.Module:
        """The whole file parsed; raises SourceFault."""
        return parse_module(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the whole file, breadth first; raises SourceFault."""
        return nodes_of(self.tree)


def parse_module(text: str, newer: bool = True) -> ast.Module:
    """``ast.parse`` that also takes ``newer`` grammar, and reports every failure as SourceFault."""
    try:
        return _ast_parse(text)
    except SyntaxError as error:
        older = downlevel(text) if newer else None
        if older is not None:
            try:
                return _ast_parse(older)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                pass
        raise SourceFault(error.msg or "invalid syntax", error.lineno or 1, error.offset or 1) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceFault(f"cannot be parsed: {type(error).__name__}") from None


def _ast_parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


sys.setrecursionlimit(max(sys.getrecursionlimit(), 6000))
