"""Parameters that a ``def`` takes besides."""

import ast

import pytest

from driftcheck.fixes.functions import changed_header
from driftcheck.fixes.operations import ParameterWanted

ORDINARY = ParameterWanted("x", "ordinary", "1")
BARE = ParameterWanted("x", "ordinary")
KEYWORD = ParameterWanted("k", "keyword", "None")
REST = ParameterWanted("more", "var_keyword")
CASES = {
    "alone": ("def f(self):", ORDINARY, "def f(self, x=1):"),
    "without a default": ("def f(self, a):", BARE, "def f(self, a, x):"),
    "where others have one": ("def f(self, a=0):", BARE, "def f(self, a=0, x=None):"),
    "before **": ("def f(self, **kw):", ORDINARY, "def f(self, x=1, **kw):"),
    "behind *args": ("def f(self, *a):", ORDINARY, "def f(self, *a, x=1):"),
    "a keyword": ("def f(self):", KEYWORD, "def f(self, *, k=None):"),
    "a keyword among keywords": ("def f(self, *, j):", KEYWORD, "def f(self, *, j, k=None):"),
    "the rest": ("def f(self, a):", REST, "def f(self, a, **more):"),
    "positional ones alone": ("def f(self, a, /):", ORDINARY, "def f(self, a, /, x=1):"),
    "a line each": (
        "def f(\n    self,\n    a: int,  # n\n) -> int:",
        ORDINARY,
        "def f(\n    self,\n    a: int,  # n\n    x=1,\n) -> int:",
    ),
    "a line for all": ("def f(\n    self, a\n):", ORDINARY, "def f(\n    self, a, x=1\n):"),
    "async": ("async def f(self):", ORDINARY, "async def f(self, x=1):"),
}


@pytest.mark.parametrize(("before", "wanted", "after"), CASES.values(), ids=CASES)
def test_taken(before: str, wanted: ParameterWanted, after: str) -> None:
    found = changed_header(before, [wanted])
    ast.parse(found + " pass")
    assert found == after
