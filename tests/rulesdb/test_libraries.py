"""Strict loading of facts files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
import pytest

from driftcheck.rulesdb import RulesError, load_toml, toml_files


class Step(msgspec.Struct, forbid_unknown_fields=True):
    call: str
    kind: Literal["first", "second"] = "first"


class Facts(msgspec.Struct, forbid_unknown_fields=True, rename="kebab"):
    library: str
    known_steps: list[Step] = []
    by_name: dict[str, Step | None] = {}


def write(directory: Path, text: str) -> Path:
    file = directory / "facts.toml"
    file.write_text(text)
    return file


def test_loads(tmp_path: Path) -> None:
    facts = load_toml(write(tmp_path, 'library = "gantry"\n[[known-steps]]\ncall = "lift"\n'), Facts)
    assert facts == Facts("gantry", [Step("lift")])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("library = \n", "line 1"),
        ("", "missing required field `library`; allowed: library, known-steps, by-name"),
        ("library = 1\n", "Expected `str`, got `int` at library"),
        (
            'library = "g"\nknown-step = []\n',
            "unknown field `known-step` (did you mean 'known-steps'?); allowed",
        ),
        (
            'library = "g"\n[[known-steps]]\ncall = "a"\nkinds = "first"\n',
            "unknown field `kinds` at known-steps[0] (did you mean 'kind'?); allowed: call, kind",
        ),
        (
            'library = "g"\n[[known-steps]]\ncall = "a"\nkind = "third"\n',
            "Invalid enum value 'third' at known-steps[0].kind; allowed: first, second",
        ),
        ('library = "g"\n[by-name.x]\ncal = "a"\n', "(did you mean 'call'?); allowed: call, kind"),
    ],
)
def test_errors_name_file_key_and_what_is_allowed(tmp_path: Path, text: str, problem: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(RulesError) as caught:
        load_toml(file, Facts)
    assert str(caught.value).startswith(f"{file}: ")
    assert problem in str(caught.value)


def test_files_below_a_rules_directory(tmp_path: Path) -> None:
    for name in ("b/two.toml", "a/one.toml", "a/note.md", "checks/DC1-x.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in toml_files(tmp_path)] == [
        "a/one.toml",
        "b/two.toml",
    ]
