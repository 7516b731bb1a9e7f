"""Arguments of one call: taken out, added, renamed, with comments and layout kept."""

import pytest

from driftcheck.fixes.calls import changed_call
from driftcheck.fixes.operations import (
    AddArgument,
    AddMapping,
    DropArgument,
    DropPositional,
    NamePositional,
    RenameKeyword,
    UnnameKeyword,
)
from driftcheck.fixes.slices import Unparsable

CASES = {
    "dropped in the middle": ("f(a=1, b=2, c=3)", [DropArgument("b")], "f(a=1, c=3)"),
    "dropped first": ("f(a=1, b=2)", [DropArgument("a")], "f(b=2)"),
    "dropped last": ("f(a=1, b=2)", [DropArgument("b")], "f(a=1)"),
    "dropped last of a line that goes on": ("f(a=1, b=2, )", [DropArgument("b")], "f(a=1, )"),
    "the only one": ("f(a=1)", [DropArgument("a")], "f()"),
    "the only one on its line": ("f(\n    a=1,\n)", [DropArgument("a")], "f()"),
    "two": ("f(1, a=1, b=2)", [DropArgument("a"), DropArgument("b")], "f(1)"),
    "a line of its own": ("f(\n    a=1,\n    b=2,\n)", [DropArgument("a")], "f(\n    b=2,\n)"),
    "the last line": ("f(\n    a=1,\n    b=2\n)", [DropArgument("b")], "f(\n    a=1\n)"),
    "a comment stays as a line": (
        "f(\n    a=1,  # why\n    b=2,\n)",
        [DropArgument("a")],
        "f(\n    # why\n    b=2,\n)",
    ),
    "a word to a tool goes": (
        "f(\n    a=1,  # noqa: E501\n    b=2,\n)",
        [DropArgument("a")],
        "f(\n    b=2,\n)",
    ),
    "a line above it stays": (
        "f(\n    # one\n    a=1,\n    b=2,\n)",
        [DropArgument("a")],
        "f(\n    # one\n    b=2,\n)",
    ),
    "added": ("f(a)", [AddArgument("b", "1")], "f(a, b=1)"),
    "added to nothing": ("f()", [AddArgument("b", "1")], "f(b=1)"),
    "added to a generator": ("f(x for x in y)", [AddArgument("b", "1")], "f((x for x in y), b=1)"),
    "added on a line": ("f(\n    a,\n)", [AddArgument("b", "1")], "f(\n    a,\n    b=1,\n)"),
    "added without a last comma": (
        "f(\n    a,\n    c\n)",
        [AddArgument("b", "1")],
        "f(\n    a,\n    c,\n    b=1\n)",
    ),
    "added to a hugged line": ("f(\n    a, c\n)", [AddArgument("b", "1")], "f(\n    a, c, b=1\n)"),
    "added behind a comment": ("f(\n    a,  # x\n)", [AddArgument("b", "1")], "f(\n    a,  # x\n    b=1,\n)"),
    "added behind **": ("f(**more)", [AddArgument("b", "1")], "f(**more, b=1)"),
    "added two": ("f(a)", [AddArgument("b", "1"), AddArgument("c", "2")], "f(a, b=1, c=2)"),
    "a mapping": ("f(a)", [AddMapping("({} if t else {})")], "f(a, **({} if t else {}))"),
    "renamed": ("f(a = 1)", [RenameKeyword("a", "b")], "f(b = 1)"),
    "by keyword": ("f(1, 2, 3)", [NamePositional(1, "b"), NamePositional(2, "c")], "f(1, b=2, c=3)"),
    "by position": ("f(1, b=2, c=3)", [UnnameKeyword("b")], "f(1, 2, c=3)"),
    "a place less": ("f(1, 2, 3)", [DropPositional(2)], "f(1, 2)"),
    "dropped and added": (
        "f(\n    a=1,\n    b=2,\n)",
        [AddArgument("c", "3"), DropArgument("a")],
        "f(\n    b=2,\n    c=3,\n)",
    ),
    "inside somebody's brackets": ("a.\\\n  f(b=1)", [DropArgument("b")], "a.\\\n  f()"),
    "a chain over lines": ("a\n  .f(b=1, c=2)", [DropArgument("b")], "a\n  .f(c=2)"),
}


@pytest.mark.parametrize(("before", "operations", "after"), CASES.values(), ids=CASES)
def test_changed(before: str, operations: list, after: str) -> None:
    assert changed_call(before, operations) == after


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("f(a=1)", DropArgument("b")),
        ("f", DropArgument("a")),
        ("f(*a, b)", NamePositional(1, "b")),
        ("f(a=1, b=2)", UnnameKeyword("b")),
    ],
)
def test_what_is_not_there_is_refused(text: str, operation: object) -> None:
    with pytest.raises(Unparsable):
        changed_call(text, [operation])
