"""A baseline lets be what was there, tells what is gone, and merges like text."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lint.project import Project

from driftcheck.engine.baseline import SCHEMA


def test_what_is_in_the_baseline_is_let_be(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    file = project.root / "drift.baseline"
    assert project.check("--write-baseline", str(file)) == 0
    assert "1 findings written" in capsys.readouterr().err
    assert project.check("--baseline", str(file), "--output-format", "concise") == 0
    assert "1 in the baseline" in capsys.readouterr().out
    # Lines move, blanks change: it is the same finding.
    text = project.user.read_text()
    project.user.write_text("\n\n\n" + text.replace('"crate", fast', '"crate",   fast'))
    assert project.found("--baseline", str(file)) == []
    # Another one like it is a new one.
    project.user.write_text(text + '    lift("crate", fast=True)\n')
    assert project.found("--baseline", str(file)) == [("DC201", "dock/__init__.py", 6)]


def test_what_is_gone_is_told(project: Project) -> None:
    file = project.root / "drift.baseline"
    project.write("src/dock/other.py", "from gantry import lower\n")
    project.check("--write-baseline", str(file))
    project.configure('[tool.driftcheck]\nbaseline = "drift.baseline"\n')
    assert project.found() == []
    project.user.write_text("from gantry import lift\n")
    assert project.found() == [("DC904", "drift.baseline", 3)]
    assert project.check() == 0
    assert project.check("--fail-on", "DC904") == 1
    assert project.found("--ignore", "DC201") == [], "nobody looked for it"
    assert project.found("--ignore", "DC904") == []
    arguments = project.arguments()
    arguments[1] = str(project.root / "src/dock/other.py")
    from driftcheck.cli import main

    assert main([*arguments, "--fail-on", "note"]) == 0, "the other file was not asked for"


def test_rows_are_sorted_and_merge(project: Project) -> None:
    file = project.root / "drift.baseline"
    project.git("init", "-q", "-b", "main")
    for name in "acegikmo":
        project.write(f"src/dock/{name}.py", "from gantry import lower\n")
    project.check("--write-baseline", str(file))
    project.commit()
    for branch, name in (("one", "b"), ("two", "n")):
        project.git("checkout", "-q", "-b", branch, "main")
        project.write(f"src/dock/{name}.py", "from gantry import lower\n")
        project.check("--write-baseline", str(file))
        project.commit()
    project.git("merge", "-q", "one", "-m", "merge")
    assert project.found("--baseline", str(file)) == []
    rows = file.read_text().splitlines()
    assert rows[1:] == sorted(rows[1:])
    assert len(rows) == 12


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ":1: expected"),
        ("{}", ":1: expected"),
        ('{"schema": "driftcheck/baseline/9"}', "this driftcheck reads 'driftcheck/baseline/1'"),
        (f'{{"schema": "{SCHEMA}"}}\n<<<<<<< HEAD\n', ":2: a merge conflict"),
        (f'{{"schema": "{SCHEMA}"}}\n{{"code": "DC201"}}\n', ":2: Object missing required field"),
        (f'{{"schema": "{SCHEMA}"}}\nnonsense\n', ":2: "),
    ],
)
def test_what_is_no_baseline_is_refused(
    project: Project, capsys: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    file = project.write("drift.baseline", text)
    assert project.check("--baseline", str(file)) == 2
    assert problem in capsys.readouterr().err


def test_usage(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert project.check("--baseline", "none") == 2
    assert "write one with --write-baseline" in capsys.readouterr().err
    assert project.check("--write-baseline", str(Path("none/file"))) == 2
    assert project.check("--write-baseline", "x", "--since", "HEAD") == 2


def test_changed_lines_only(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.git("init", "-q", "-b", "main")
    first = project.commit()
    assert project.found("--since", "HEAD") == []
    assert project.check("--since", first, "--output-format", "concise") == 0
    assert "1 on unchanged lines" in capsys.readouterr().out
    text = project.user.read_text()
    project.user.write_text("\n" + text + "    lift(2, fast=1)\n")
    assert project.found("--since", "main") == [("DC201", "dock/__init__.py", 7)]
    second = project.commit()
    assert project.found("--since", second) == []
    assert project.found("--since", "HEAD~1") == [("DC201", "dock/__init__.py", 7)]
    project.write("src/dock/new.py", "from gantry import lower\n")  # not yet known to git
    assert project.found("--since", second) == [("DC102", "dock/new.py", 1)]
    # What the other branch did since is not ours.
    project.git("checkout", "-q", "-b", "topic", first)
    (project.root / "src/dock/new.py").unlink()
    assert project.found("--since", "main") == []


def test_staged_lines_as_they_are_staged(project: Project) -> None:
    project.git("init", "-q", "-b", "main")
    project.commit()
    text = project.user.read_text()
    assert project.found("--staged") == []
    project.user.write_text(text + "    lift(2, fast=1)\n")
    assert project.found("--staged") == []
    project.git("add", "-A")
    assert project.found("--staged") == [("DC201", "dock/__init__.py", 6)]
    # The working copy is repaired, the index is not: the commit would be broken.
    project.user.write_text(text + "    lift(2)\n")
    assert project.found("--staged") == [("DC201", "dock/__init__.py", 6)]


def test_outside_a_repository(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.check("--since", "HEAD") == 2
    assert "in no git repository" in capsys.readouterr().err
    project.git("init", "-q")
    project.commit()
    assert project.check("--since", "nowhere") == 2
    assert "no such revision here" in capsys.readouterr().err
    assert project.check("--since", "--output=x") == 2
    assert project.check("--since", "HEAD", "--staged") == 2
    monkeypatch.setenv("PATH", "")
    assert project.check("--staged") == 2
    assert "git is not installed" in capsys.readouterr().err


def test_odd_names_in_git(project: Project) -> None:
    project.git("init", "-q")
    project.commit()
    for name in ("ünï", "tab\tbed", 'quo"te'):
        project.write(f"src/dock/{name}.py", "from gantry import lower\n")
    found = {path for _, path, _ in project.found("--since", "HEAD")}
    project.commit()
    assert found == {path for _, path, _ in project.found("--since", "HEAD~1")}
    assert "dock/ünï.py" in found


def test_the_repositorys_own_programs_are_not_run(project: Project) -> None:
    project.git("init", "-q")
    project.commit()
    marker = project.root / "ran"
    program = project.write("evil.sh", f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    project.write(".gitattributes", "*.py diff=evil filter=evil\n")
    for key in ("diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "diff.external"):
        subprocess.run(["git", "config", key, str(program)], cwd=project.root, check=True)
    project.user.write_text(project.user.read_text() + "\n")
    project.check("--since", "HEAD")
    project.check("--staged")
    assert not marker.exists()
