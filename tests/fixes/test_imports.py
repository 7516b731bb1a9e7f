"""Names of a ``from`` import that are elsewhere now."""

import ast

import pytest

from driftcheck.fixes.imports import Moved, changed_import

LONG = """from old import (
    a,
    b,  # about b
    # above c
    c as d,
)"""
CASES = {
    "all": ("from old import a, b", [Moved("a", "new", "a"), Moved("b", "new", "b")], "from new import a, b"),
    "one": ("from old import a, b", [Moved("a", "new", "a")], "from old import b\nfrom new import a"),
    "the last": ("from old import a, b", [Moved("b", "new", "b")], "from old import a\nfrom new import b"),
    "renamed": ("from old import a", [Moved("a", "new", "z")], "from new import z as a"),
    "renamed back": ("from old import a as z", [Moved("a", "new", "z")], "from new import z"),
    "under another name": ("from old import a as x", [Moved("a", "new", "z")], "from new import z as x"),
    "to two places": (
        "from old import a, b",
        [Moved("a", "one", "a"), Moved("b", "two", "b")],
        "from one import a\nfrom two import b",
    ),
    "a relative one": ("from . import a", [Moved("a", "new", "a")], "from new import a"),
    "a list": (LONG, [Moved("a", "new", "a")], LONG.replace("    a,\n", "") + "\nfrom new import a"),
    "with its comment": (
        LONG,
        [Moved("b", "new", "b")],
        LONG.replace("    b,  # about b\n", "") + "\nfrom new import b  # about b",
    ),
    "what is above stays": (
        LONG,
        [Moved("c", "new", "c")],
        LONG.replace("    c as d,\n", "") + "\nfrom new import c as d",
    ),
    "the whole list": (LONG, [Moved(n, "new", n) for n in "abc"], LONG.replace("old", "new")),
    "tried": (
        "from old import a",
        [Moved("a", "new", "a", "try")],
        "try:\n    from new import a\nexcept ImportError:\n    from old import a",
    ),
    "by a condition": (
        "from old import a",
        [Moved("a", "new", "a", "t")],
        "if t:\n    from new import a\nelse:\n    from old import a",
    ),
}


@pytest.mark.parametrize(("before", "moves", "after"), CASES.values(), ids=CASES)
def test_moved(before: str, moves: list[Moved], after: str) -> None:
    assert changed_import(before, "", moves) == after
    ast.parse(after)


def test_indentation_is_kept() -> None:
    text = "from old import (\n        a,\n        b,\n    )"
    wanted = "from old import (\n        b,\n    )\n    from new import a"
    assert changed_import(text, "    ", [Moved("a", "new", "a")]) == wanted
