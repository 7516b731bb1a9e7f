"""Import statements read without a parser mean what the parser says they mean."""

import ast
import sysconfig
from pathlib import Path

import pytest

from driftcheck.index.import_lines import plain_import
from driftcheck.index.outline import blank_text

PLAIN = [
    "import a",
    "import a.b.c as d, e",
    "from a import b",
    "from a.b import (c, d as e,)",
    "from a import (\n    b,  # why\n    c as d,\n)",
    "from . import a",
    "from ...a.b import c",
    "from .a import *",
    "from a import b, \\\n    c",
    "from\ta\timport\tb",
]
ODD = [
    "from a import b; c = 1",
    "import a; import b",
    "from a import (b",
    "from a import (*)",
    "import a.b.c as d.e",
    "from a import b.c",
    "from a import if",
    "from a import b c",
    "import",
    "from import a",
    "from a import",
    "from a import b,",
    "from a import (b,,c)",
    "from a import ()",
    "import a\n.b",
    "import (a)",
    "import *",
    "from ª import b",
]


def same(read: ast.stmt, parsed: ast.stmt) -> bool:
    return ast.dump(read) == ast.dump(parsed)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_statements_are_read(text: str) -> None:
    read = plain_import(blank_text(text))
    assert read is not None
    assert same(read, ast.parse(text).body[0])


@pytest.mark.parametrize("text", ODD)
def test_what_is_not_plain_is_left_to_the_parser(text: str) -> None:
    assert plain_import(blank_text(text)) is None


def test_every_import_of_the_standard_library_reads_as_it_parses() -> None:
    read = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8")
        blank = blank_text(text)
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        if not text.isascii():
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                begin = starts[node.lineno - 1] + node.col_offset
                end = starts[node.end_lineno - 1] + node.end_col_offset
                found = plain_import(blank[begin:end])
                assert found is not None, (path.name, node.lineno)
                assert same(found, node), (path.name, node.lineno)
                read += 1
    assert read > 1000
