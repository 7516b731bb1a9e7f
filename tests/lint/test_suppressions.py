"""Suppressions: what each form covers, what unused ones say, and that their fix leaves good code."""

from __future__ import annotations

import ast

import pytest
from lint.project import Project

from driftcheck.engine.comments import END_OF_FILE, suppressions
from driftcheck.model import Edit


def covered(text: str) -> list[tuple[int, int]]:
    return [(one.first, one.last) for one in suppressions("a.py", text.encode())]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("x = 1  # drift: ignore", (1, 1)),
        ("x = 1\n# drift: ignore\n\n# words\ny = 2\n", (5, 5)),
        ("# drift: ignore\nf(\n  1,\n)\n", (2, 4)),
        ("f(  # drift: ignore\n  1,\n)\n", (1, 3)),
        ("f(\n  1,\n)  # drift: ignore\n", (1, 3)),
        ("f(\n  1,  # drift: ignore\n  2,\n)\n", (2, 2)),
        ("f(\n  # drift: ignore\n  2,\n  3,\n)\n", (3, 3)),
        ("def f(\n  a,\n):  # drift: ignore\n  g()\n", (1, 3)),
        ("x = 1  # drift: ignore-next-line\ny = 2\n", (2, 2)),
        ("x = 1\n# drift: ignore-file\n", (1, END_OF_FILE)),
        ("x = 1 # noqa # drift: ignore", (1, 1)),
        ("x = (1  # drift: ignore", (1, 1)),  # the tokenizer refuses the file
    ],
)
def test_what_a_comment_covers(text: str, lines: tuple[int, int]) -> None:
    assert covered(text) == [lines]


@pytest.mark.parametrize(
    "text",
    [
        '"# drift: ignore"',
        "'''\n# drift: ignore\n'''",
        "# drift: ignored",
        "# drift: ignore-all",
        "# drifts: ignore",
    ],
)
def test_what_is_no_suppression(text: str) -> None:
    assert covered(text) == []


def test_the_parts_of_a_comment() -> None:
    text = "é = 1 # drift: ignore[DC201, unknown-keyword] until vllm >= 0.18, <1 because #12  # noqa: E501\n"
    (one,) = suppressions("a.py", text.encode())
    assert one.codes == ("DC201", "unknown-keyword")
    assert one.until == ("vllm", ">=0.18,<1")
    assert text[one.column - 1 : one.end_column - 1] == one.text
    assert one.text.endswith("because #12")
    assert suppressions("a.py", b"x # drift: ignore until vllm 0.18")[0].until == ("vllm", ">=0.18")
    assert suppressions("a.py", b"x # drift: ignore until someone looks")[0].until is None
    latin = "# coding: latin-1\né = 1  # drift: ignore".encode("latin-1")
    assert [(o.line, o.column) for o in suppressions("a.py", latin)] == [(2, 8)]


def test_a_suppressed_finding_is_counted_and_fails_nothing(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert project.check() == 1
    project.user.write_text(project.user.read_text().replace("True)", "True)  # drift: ignore[DC201] later"))
    capsys.readouterr()
    assert project.check("--output-format", "concise") == 0
    assert "No drift" in (out := capsys.readouterr().out)
    assert "1 suppressed" in out


def test_until_ends_with_the_version(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    for name, version in (("old", "1.0"), ("new", "2.0")):
        project.write(f"{name}/pyproject.toml", f'[project]\nname = "gantry"\nversion = "{version}"\n')
    project.user.write_text(
        project.user.read_text().replace("True)", "True)  # drift: ignore[DC201] until gantry>=2.0")
    )
    pair = ["--against", str(project.root / "new"), "--known-good", str(project.root / "old")]
    from driftcheck.cli import main

    assert main(["check", "src", *pair]) == 1
    assert "the suppression here ended with gantry>=2.0" in capsys.readouterr().out
    project.user.write_text(project.user.read_text().replace(">=2.0", ">=2.1"))
    assert main(["check", "src", *pair]) == 0


def test_unused_ones_are_notes_and_fail_only_on_wish(project: Project) -> None:
    project.user.write_text("import gantry\ngantry.lift(1)  # drift: ignore[DC201]\n")
    assert project.found() == [("DC901", "dock/__init__.py", 2)]
    assert project.check() == 0
    assert project.check("--fail-on", "DC901") == 1
    assert project.check("--fail-on", "note") == 1
    assert project.check("--ignore", "DC201", "--fail-on", "note") == 0, "nobody looked for DC201"
    assert project.check("--ignore", "unused-suppression", "--fail-on", "note") == 0


def applied(text: str, edit: Edit) -> str:
    lines = text.split("\n")
    before = "\n".join([*lines[: edit.line - 1], lines[edit.line - 1][: edit.column - 1]])
    after = "\n".join([lines[edit.end_line - 1][edit.end_column - 1 :], *lines[edit.end_line :]])
    return before + edit.text + after


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("import gantry\nx = 1  # drift: ignore[DC201] why\n", "import gantry\nx = 1\n"),
        ("import gantry\n# drift: ignore[DC201] why\nx = 1\n", "import gantry\nx = 1\n"),
        ("import gantry\nif 1:\n    # drift: ignore\n    x = 1\n", "import gantry\nif 1:\n    x = 1\n"),
        ("import gantry\nx = 1  # noqa  # drift: ignore\n", "import gantry\nx = 1  # noqa\n"),
        ("import gantry\nx = 1  # drift: ignore[DC201]  # noqa\n", "import gantry\nx = 1  # noqa\n"),
        (
            "from gantry import lift\nlift(1, fast=2)  # drift: ignore[DC101,DC201] why\n",
            "from gantry import lift\nlift(1, fast=2)  # drift: ignore[DC201] why\n",
        ),
        ("import gantry\nx = 1\n# drift: ignore", "import gantry\nx = 1\n"),
    ],
)
def test_the_fix_removes_what_is_of_no_use(project: Project, text: str, fixed: str) -> None:
    project.user.write_text(text)
    (one,) = [one for one in project.report()["findings"] if one["code"] == "DC901"]
    assert one["fix"]["applicability"] == "safe"
    (edit,) = one["fix"]["edits"]
    result = applied(text, Edit(**edit))
    assert result.rstrip() == fixed.rstrip()
    ast.parse(result)
    project.user.write_text(result)
    assert "DC901" not in {code for code, _, _ in project.found()}


@pytest.mark.parametrize(
    "comment", ["ignore[DC201,", "ignore [DC201", "ignore[]", "ignore[ , ]", "ignore-file[DC2"]
)
def test_brackets_that_name_no_check_suppress_nothing_and_say_so(
    project: Project, capsys: pytest.CaptureFixture[str], comment: str
) -> None:
    project.user.write_text(project.user.read_text().replace("True)", f"True)  # drift: {comment} later"))
    assert project.check("--output-format", "concise") == 1
    out = capsys.readouterr().out
    assert "DC201" in out
    assert "DC901 this suppresses nothing: " in out


@pytest.mark.parametrize("until", ["vllm>=", "vllm>=abc", "0.15", "gantry >", "=="])
def test_an_until_that_is_no_version_suppresses_nothing_and_says_so(
    project: Project, capsys: pytest.CaptureFixture[str], until: str
) -> None:
    text = project.user.read_text().replace("True)", f"True)  # drift: ignore[DC201] until {until}")
    project.user.write_text(text)
    assert project.check("--output-format", "concise") == 1
    assert "DC901 this suppresses nothing: its until names no version" in capsys.readouterr().out
