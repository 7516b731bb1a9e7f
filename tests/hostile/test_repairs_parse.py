"""What a repair leaves parses, whatever the edits of a fix would make of the file."""

from __future__ import annotations

import ast

import msgspec
from fixes.making import Pair, one_module

from driftcheck.engine.repair import repair
from driftcheck.model import Edit, Finding


def test_a_submodule_that_became_part_of_its_package() -> None:
    """The name to be read is none: the attribute is not spelled without it."""
    pair = Pair(
        {"gantry/__init__.py": "", "gantry/tools.py": "class lift:\n    x = 1\n"},
        {"gantry/__init__.py": "def lift(**kwargs): ...\n"},
        {"dock/__init__.py": "import gantry\nfrom gantry.tools import lift\ngantry.tools()\n"},
    )
    for data in pair.repaired().files.values():
        ast.parse(data)


def test_an_edit_that_breaks_the_file_is_taken_back() -> None:
    pair = one_module("def lift(a): ...\n", "def lift(b): ...\n", "from gantry import lift\nlift(a=1)\n")

    def broken(files: dict[str, bytes]) -> list[Finding]:
        """The findings, each with an edit that takes the call's name away; none of a file that is broken."""
        found = [] if any(b"\n(" in data for data in files.values()) else pair.findings(files)
        edit = Edit(path="dock/__init__.py", line=2, column=1, end_line=2, end_column=10, text="(")
        return [
            msgspec.structs.replace(one, fix=msgspec.structs.replace(one.fix, edits=(edit,)))
            for one in found
            if one.fix
        ]

    done = repair(broken, pair.consumer.read, lambda one: True)
    assert not done.files
    assert {back.reason for back in done.rolled_back} == {"dock/__init__.py would not parse any more"}
