"""Which classes stand below which, found in the bytes; and lists of bases that are read without a parse."""

import ast
from pathlib import Path

import pytest

from driftcheck.index.subclassing import Place, all_below, below_alias, class_at, directly_below, text_at
from driftcheck.index.tree_index import Index
from driftcheck.sources import open_tree

FILES = {
    "__init__.py": "",
    "first.py": "class Low(Base): pass\nclass Base:\n    x = 1\n\nclass Lower(\n    other.Thing,\n    Low,\n):\n    y = 2\n",
    "second.py": "from yard.first import Lower\n\n\nclass Lowest(Lower, metaclass=M):\n    z = 3\n# end\nend = 4\n",
    "third.py": "class Lowland(Basement): pass\n\n\nclass Base(Base): pass\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    package = tmp_path / "yard"
    package.mkdir()
    for name, text in FILES.items():
        (package / name).write_text(text)
    return Index(open_tree(str(tmp_path), role="provider"))


@pytest.mark.parametrize("everywhere", [True, False])
def test_names_are_whole_words(index: Index, everywhere: bool) -> None:
    assert directly_below(index, "Base", everywhere=everywhere) == [Place("yard/first.py", "Low")]
    assert directly_below(index, "Thing", everywhere=everywhere) == [Place("yard/first.py", "Lower")]
    assert directly_below(index, "Nothing", everywhere=everywhere) == []


def test_what_stands_below_through_others(index: Index) -> None:
    assert [place.name for place in all_below(index, directly_below(index, "Base"))] == [
        "Low",
        "Lower",
        "Lowest",
    ]


def test_a_class_ends_where_the_next_line_is_not_indented(index: Index) -> None:
    lower, lowest = Place("yard/first.py", "Lower"), Place("yard/second.py", "Lowest")
    assert text_at(index, lower).endswith("    y = 2\n")
    assert text_at(index, lowest).endswith("    z = 3\n# end")
    assert text_at(index, Place("yard/third.py", "Low")) == ""
    found = class_at(index, lowest)
    assert found is not None
    assert found.qualname == "yard.second.Lowest"


@pytest.mark.parametrize(
    "header",
    [
        "class X:",
        "class X():",
        "class X(A, b.C):",
        "class X(\n    A,  # class Y(Z):\n    b . C,\n):",
        "@made(class_=1)\nclass X(A):",
        "class X(A, metaclass=M):",
        "class X(A[int], f(B)):",
        "class X(*bases):",
    ],
)
def test_bases_are_what_a_parse_gives(tmp_path: Path, header: str) -> None:
    package = tmp_path / "yard"
    package.mkdir()
    (package / "__init__.py").write_text(f"{header}\n    pass\n")
    module = Index(open_tree(str(tmp_path), role="provider")).module("yard")
    assert module is not None
    cls = module.class_of(module.bindings["X"][-1])
    assert [ast.dump(base) for base in cls.bases] == [ast.dump(base) for base in cls.header.bases]


def test_under_another_name_in_a_branch_and_under_the_same_name(tmp_path: Path) -> None:
    files = {
        "__init__.py": "",
        "first.py": "class Base: pass\n",
        "second.py": "from yard.first import Base as _Base\n\nif True:\n    class Base(_Base):\n        x = 1\n",
        "third.py": "from yard import first\n\n\nclass Base(first.Base): pass\n\n\n# class No(Base):\ntext = 'subclass B(Base)'\n",
    }
    (package := tmp_path / "yard").mkdir()
    for name, text in files.items():
        (package / name).write_text(text)
    index = Index(open_tree(str(tmp_path), role="provider"))
    assert below_alias(index, "Base") == [Place("yard/second.py", "Base")]
    named = directly_below(index, "Base", everywhere=False, namesakes=True)
    assert named == [Place("yard/third.py", "Base")]
    for place in (*below_alias(index, "Base"), *named):
        assert class_at(index, place) is not None
