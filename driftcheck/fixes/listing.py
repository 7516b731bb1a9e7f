"""Taking elements out of a comma-separated list and adding to it, comments and layout kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import libcst as cst

Whitespace = cst.BaseParenthesizableWhitespace
Node = TypeVar("Node", bound=cst.CSTNode)

_DIRECTIVE = re.compile(
    r"#\s*(?:type:|noqa|pyright:|pylint:|pyre-|mypy:|drift:|ruff:|fmt:|yapf:|isort:|nosec|pragma:)"
)
NOTHING = cst.SimpleWhitespace("")


@dataclass
class Listing(Generic[Node]):
    """The elements, and the whitespace before, between and after them (one more than elements).

    ``trailing``: a comma follows the last element.
    """

    items: list[Node]
    gaps: list[Whitespace]
    trailing: bool

    def remove(self, index: int) -> cst.Comment | None:
        """Takes an element out. A comment behind it becomes a line of its own, or is returned if it cannot.

        One that speaks to a tool about the line alone (``# noqa``) goes with the line.
        """
        before, after = self.gaps[index], self.gaps[index + 1]
        last = index == len(self.items) - 1
        self.gaps[index : index + 2] = [_closed(before, after) if last else _joined(before, after)]
        del self.items[index]
        comment = own_comment(before, after)
        if not self.items:
            self.trailing = False
            if not _noted(self.gaps[0]):
                self.gaps = [NOTHING]
        if comment is None or _DIRECTIVE.match(comment.value):
            return None
        gap = self.gaps[index]
        if not isinstance(gap, cst.ParenthesizedWhitespace):
            return comment
        indent = cst.SimpleWhitespace(_indentation(before))
        line = cst.EmptyLine(indent=False, whitespace=indent, comment=comment)
        count = len(before.empty_lines) if isinstance(before, cst.ParenthesizedWhitespace) else 0
        lines = [*gap.empty_lines[:count], line, *gap.empty_lines[count:]]
        self.gaps[index] = gap.with_changes(empty_lines=lines)
        return None

    def append(self, item: Node) -> None:
        """Adds an element at the end, laid out like those before it."""
        closing = self.gaps[-1]
        self.items.append(item)
        if len(self.items) == 1:
            self.gaps.append(plain(closing) if isinstance(closing, cst.ParenthesizedWhitespace) else NOTHING)
            return
        gap, closing = divided(self._gap(), closing)
        self.gaps[-1:] = [gap, closing]

    def _gap(self) -> Whitespace:
        """The whitespace between elements of this list."""
        one_each = isinstance(self.gaps[0], cst.ParenthesizedWhitespace) and isinstance(
            self.gaps[-1], cst.ParenthesizedWhitespace
        )
        sample = self.gaps[-2] if len(self.gaps) > 2 else self.gaps[0] if one_each else None
        return plain(sample) if isinstance(sample, cst.ParenthesizedWhitespace) else cst.SimpleWhitespace(" ")

    def comma(self, index: int) -> cst.Comma | cst.MaybeSentinel:
        """The comma behind an element with the whitespace that follows it."""
        if index == len(self.items) - 1 and not self.trailing:
            return cst.MaybeSentinel.DEFAULT
        return cst.Comma(whitespace_after=self.gaps[index + 1])


def divided(gap: Whitespace, closing: Whitespace) -> tuple[Whitespace, Whitespace]:
    """A new gap and what follows it, made of what closed a list; a comment behind the last stays there."""
    if isinstance(gap, cst.ParenthesizedWhitespace) and isinstance(closing, cst.ParenthesizedWhitespace):
        gap = gap.with_changes(first_line=closing.first_line)
        closing = closing.with_changes(first_line=plain(closing).first_line)
    return gap, closing


def own_comment(before: Whitespace, after: Whitespace) -> cst.Comment | None:
    """The comment at the end of an element's line, where the element stands alone on it."""
    if isinstance(before, cst.ParenthesizedWhitespace) and isinstance(after, cst.ParenthesizedWhitespace):
        return after.first_line.comment
    return None


def parts(nodes: Sequence[cst.CSTNode]) -> list[Whitespace]:
    """The whitespace behind each node's comma; nothing where there is none."""
    found: list[Whitespace] = []
    for node in nodes:
        comma = getattr(node, "comma", None)
        found.append(comma.whitespace_after if isinstance(comma, cst.Comma) else NOTHING)
    return found


def _joined(before: Whitespace, after: Whitespace) -> Whitespace:
    """What stays between two elements when the one between them has gone."""
    if isinstance(after, cst.ParenthesizedWhitespace):
        if not isinstance(before, cst.ParenthesizedWhitespace):
            return after
        lines = [*before.empty_lines, *after.empty_lines]
        return after.with_changes(first_line=before.first_line, empty_lines=lines)
    return before


def _closed(before: Whitespace, after: Whitespace) -> Whitespace:
    """What stays at the end of the list when its last element has gone."""
    if not isinstance(after, cst.ParenthesizedWhitespace) and isinstance(before, cst.ParenthesizedWhitespace):
        return before if _noted(before) else after
    return _joined(before, after) if isinstance(after, cst.ParenthesizedWhitespace) else after


def _noted(gap: Whitespace) -> bool:
    """Whether a comment stands in a gap."""
    return isinstance(gap, cst.ParenthesizedWhitespace) and bool(
        gap.first_line.comment or any(line.comment for line in gap.empty_lines)
    )


def plain(gap: cst.ParenthesizedWhitespace) -> cst.ParenthesizedWhitespace:
    """A line break with the same indentation, without comments and empty lines."""
    return cst.ParenthesizedWhitespace(
        first_line=cst.TrailingWhitespace(whitespace=NOTHING),
        empty_lines=[],
        indent=gap.indent,
        last_line=gap.last_line,
    )


def _indentation(gap: Whitespace) -> str:
    return gap.last_line.value if isinstance(gap, cst.ParenthesizedWhitespace) else ""
