"""Modules of another release whose files are the same are taken from there; others are not."""

from __future__ import annotations

from pathlib import Path

from sources.making import write

from driftcheck.index.tree_index import Index
from driftcheck.sources import open_tree

OLD = {
    "gantry/__init__.py": "from gantry.crane import Crane\n",
    "gantry/crane.py": "class Crane:\n    def lift(self, load): ...\n",
    "gantry/hook.py": "HOOK = 1\n",
    "gantry/rope/__init__.py": "LENGTH = 3\n",
}
NEW = {
    **{path: text for path, text in OLD.items() if "rope" not in path},
    "gantry/hook.py": "HOOK = 2\n",
    "gantry/rope.py": "LENGTH = 3\n",
}


def index(place: Path, files: dict[str, str], *beside: Index) -> Index:
    return Index(open_tree(str(write(place, files) / "gantry"), role="provider"), beside=beside)


def test_what_is_the_same_is_shared_and_nothing_else(tmp_path: Path) -> None:
    old = index(tmp_path / "old", OLD)
    names = ("gantry", "gantry.crane", "gantry.hook", "gantry.rope")
    before = {name: old.module(name) for name in names}
    new = index(tmp_path / "new", NEW, old)
    after = {name: new.module(name) for name in names}
    assert [after[name] is before[name] for name in names] == [True, True, False, False]
    assert after["gantry.hook"] is not None and after["gantry.hook"].source.text == "HOOK = 2\n"
    rope = after["gantry.rope"]
    assert rope is not None and not rope.is_package


def test_only_what_was_read_is_kept_aside(tmp_path: Path) -> None:
    old = index(tmp_path / "old", OLD)
    crane = old.module("gantry.crane")
    assert old.files_mentioning("HOOK") == ("gantry/hook.py",)
    old.set_aside()
    new = index(tmp_path / "new", OLD, old)
    assert new.module("gantry.crane") is crane
    assert new.module("gantry.hook") is not None  # read anew, since nothing of it was kept
    assert old.files_mentioning("HOOK") == ("gantry/hook.py",)
