"""Edits of source text: made, refused, and undone for a line number."""

from __future__ import annotations

import pytest

from driftcheck.fixes import apply_edits as apply_for_fix
from driftcheck.model import Edit as ModelEdit
from driftcheck.validate.portable.edits import EditConflict, apply_edits, edited, edited_line, original_line
from driftcheck.validate.portable.plan import Edit

TEXT = "one\ntwo\nthree\nfour\nfive\n"


def at(line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
    return Edit("f.py", line, column, end_line, end_column, text)


def test_edits_are_made_whatever_their_order() -> None:
    edits = [at(4, 1, 4, 5, "vier"), at(1, 1, 2, 1, ""), at(3, 6, 3, 6, "\nthree and a half")]
    assert apply_edits(TEXT, edits) == "two\nthree\nthree and a half\nvier\nfive\n"


def test_one_edit_of_two_fixes_is_made_once() -> None:
    edit = at(2, 1, 2, 4, "zwei")
    assert apply_edits(TEXT, [edit, at(2, 1, 2, 4, "zwei")]) == TEXT.replace("two", "zwei")


@pytest.mark.parametrize(
    "edits",
    [
        [at(2, 1, 2, 4, "a"), at(2, 2, 2, 3, "b")],
        [at(9, 1, 9, 1, "a")],
        [at(5, 40, 5, 40, "a")],
        [at(3, 2, 3, 1, "a")],
    ],
)
def test_what_cannot_be_meant_is_refused(edits: list[Edit]) -> None:
    with pytest.raises(EditConflict):
        apply_edits(TEXT, edits)


def test_lines_there_and_back() -> None:
    edits = [at(1, 4, 1, 4, "\nnew\nnewer"), at(3, 1, 4, 1, ""), at(5, 1, 5, 5, "fünf")]
    after = apply_edits(TEXT, edits).splitlines()
    assert after == ["one", "new", "newer", "two", "four", "fünf"]
    for line, text in ((1, "one"), (2, "two"), (4, "four"), (5, "fünf")):
        there = edited_line(TEXT, edits, line)
        assert after[there - 1] == text
        assert original_line(TEXT, edits, there) == line
    # Lines that an edit brought belong to the line where it begins.
    assert original_line(TEXT, edits, 2) == 1


@pytest.mark.parametrize(
    "data",
    [
        "a = 1\nbé = 2\n".encode(),
        b"\xef\xbb\xbfa = 1\nb = 2\n",
        "# coding: latin-1\nb = 'é'\n".encode("latin-1"),
        b"a = 1\r\nb = 2\r\n",
    ],
)
def test_bytes_become_what_fix_writes(data: bytes) -> None:
    edits = [(2, 1, 2, 2, "cé"), (1, 1, 1, 1, "")]
    ours = edited(data, [Edit("f.py", *edit) for edit in edits])
    assert ours == apply_for_fix(data, [ModelEdit("f.py", *edit) for edit in edits])
