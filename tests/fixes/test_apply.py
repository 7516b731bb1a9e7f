"""Edits on bytes: encodings, byte order marks and newlines stay what they are."""

import pytest

from driftcheck.fixes import EditError, apply_edits, clash
from driftcheck.fixes.edits import minimal_edits
from driftcheck.index.source import Source
from driftcheck.model import Edit


def edit(line: int, column: int, end_line: int, end_column: int, text: str) -> Edit:
    return Edit("m.py", line, column, end_line, end_column, text)


def test_columns_are_code_points() -> None:
    assert apply_edits("ä = '€', 𝄞\n".encode(), [edit(1, 10, 1, 11, "x")]) == "ä = '€', x\n".encode()


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_inserted_lines_end_as_theirs_do(newline: bytes) -> None:
    data = newline.join([b"a", b"b", b""])
    assert apply_edits(data, [edit(1, 2, 1, 2, "\nx")]) == newline.join([b"a", b"x", b"b", b""])


def test_mixed_newlines_elsewhere_stay() -> None:
    assert apply_edits(b"a\r\nb\nc", [edit(2, 1, 2, 2, "x\ny")]) == b"a\r\nx\ny\nc"


def test_a_last_line_without_newline_stays_so() -> None:
    assert apply_edits(b"a\r\nb", [edit(2, 2, 2, 2, "\nc")]) == b"a\r\nb\r\nc"


def test_byte_order_mark_and_declared_encoding_stay() -> None:
    marked = b"\xef\xbb\xbfa = 1\n"
    assert apply_edits(marked, [edit(1, 1, 1, 2, "b")]) == b"\xef\xbb\xbfb = 1\n"
    latin = "# coding: latin-1\nä = 'ö'\n".encode("latin-1")
    assert apply_edits(latin, [edit(2, 1, 2, 2, "ü")]) == "# coding: latin-1\nü = 'ö'\n".encode("latin-1")
    with pytest.raises(EditError, match="lacks"):
        apply_edits(latin, [edit(2, 1, 2, 2, "€")])


def test_equal_edits_count_once_and_insertions_follow_each_other() -> None:
    one, other = edit(1, 2, 1, 2, "x"), edit(1, 2, 1, 2, "y")
    assert apply_edits(b"ab", [one, one, other]) == b"axyb"
    assert not clash([one], [other])


def test_overlap_is_refused() -> None:
    one, other = edit(1, 1, 1, 3, "x"), edit(1, 2, 1, 4, "y")
    assert clash([one], [other])
    with pytest.raises(EditError, match="overlap"):
        apply_edits(b"abcd", [one, other])


@pytest.mark.parametrize(
    "bad", [edit(3, 1, 3, 1, ""), edit(1, 9, 1, 9, ""), edit(1, 0, 1, 1, ""), edit(1, 3, 1, 2, "")]
)
def test_outside_the_file_is_refused(bad: Edit) -> None:
    with pytest.raises(EditError):
        apply_edits(b"abcd\n", [bad])


def test_minimal_edits_leave_what_stays() -> None:
    text = "x = f(\n    a=1,\n    b=2,\n)\n"
    source = Source("m.py", text.encode())
    edits = minimal_edits(source, 4, text[4:-1], "f(\n    a=1,\n    c=3,\n)")
    assert [(e.line, e.column, e.end_line, e.end_column, e.text) for e in edits] == [(3, 5, 3, 8, "c=3")]
    assert minimal_edits(source, 0, text, text) == ()
