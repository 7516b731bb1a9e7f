"""Outputs, and the small commands around a lint step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lint.project import Project

from driftcheck.cli import main
from driftcheck.cli.errors import UsageProblem
from driftcheck.cli.outputs import outputs_of


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ((), [("text", None)]),
        (("a.txt",), [("text", "a.txt")]),
        (("-",), [("text", None)]),
        (("sarif:a",), [("text", None), ("sarif", "a")]),
        (("sarif:a", "junit:b"), [("text", None), ("sarif", "a"), ("junit", "b")]),
        (("a", "sarif:b"), [("text", "a"), ("sarif", "b")]),
        (("github:-", "sarif:b"), [("github", None), ("sarif", "b")]),
        (("odd:name",), [("text", "odd:name")]),
    ],
)
def test_where_reports_go(files: tuple[str, ...], wanted: list[tuple[str, str | None]]) -> None:
    found = [(one.format, None if one.path is None else str(one.path)) for one in outputs_of("text", files)]
    assert found == wanted


@pytest.mark.parametrize("files", [("a", "b"), ("sarif:",), ("sarif:a", "json:a"), ("json:-", "github:-")])
def test_outputs_that_cannot_be_meant(files: tuple[str, ...]) -> None:
    with pytest.raises(UsageProblem, match="--output-file"):
        outputs_of("text", files)


def test_several_outputs_at_once(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    status = project.check(
        "--output-file", "sarif:a.sarif", "--output-file", "junit:b.xml", "--output-format", "concise"
    )
    assert status == 1
    assert capsys.readouterr().out.startswith("dock/__init__.py:5:19: DC201")
    (run,) = json.loads(Path("a.sarif").read_text())["runs"]
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "src/dock/__init__.py"
    assert run["tool"]["driver"]["rules"][0]["help"]["markdown"].startswith("## What it does")
    assert 'file="src/dock/__init__.py"' in Path("b.xml").read_text()
    assert project.check("--output-file", "sarif:none/a.sarif") == 2


def test_paths_are_from_the_checkouts_root(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.root.parent / ".git").mkdir()
    monkeypatch.chdir(project.root / "src")
    project.check("--output-file", "gitlab:report.json")
    (entry,) = json.loads(Path("report.json").read_text())
    assert entry["location"]["path"] == "project/src/dock/__init__.py"


def test_nothing_can_be_read(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.user.write_text("import gantry\n(\n")
    assert project.check() == 3
    assert "no file could be read: dock/__init__.py:2" in capsys.readouterr().err
    project.write("src/dock/other.py", "x = 1\n")
    assert project.found() == [("DC903", "dock/__init__.py", 2)]
    project.write("src/dock/other.py", "\0")
    assert project.check() == 3
    assert project.check("--exit-zero") == 3, "not clean: not checked"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"import gantry\nx = '\xff'\n", "cannot be decoded"),
        (b"# coding: utf-99\nimport gantry\n", "cannot be decoded"),
        (b"import gantry\n\0\n", "NUL"),
        (b"\xff\xfei\x00m\x00p\x00o\x00r\x00t\x00", "NUL"),
        (b"import gantry\nif 1:\nx = 1\n", "expected an indented block"),
    ],
)
def test_unreadable_files_are_told(project: Project, data: bytes, words: str) -> None:
    (project.root / "src/dock/odd.py").write_bytes(data)
    found = [one for one in project.report()["findings"] if one["code"] == "DC903"]
    assert [one["path"] for one in found] == ["dock/odd.py"]
    assert words in found[0]["message"]


def test_a_file_too_large_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftcheck.index.source.MAX_SOURCE_BYTES", 300)
    project.write("src/dock/odd.py", "import gantry\n" + "#" * 400)
    assert ("DC903", "dock/odd.py", 1) in project.found("--no-cache")


def test_sources_that_go_away_meanwhile(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """A cached release whose files were deleted: one line, and the next run fetches it anew."""
    from driftcheck.engine import CheckOptions, check
    from driftcheck.sources import ListedFiles, SourceError, Tree, open_tree

    target = Tree(
        spec="gantry==2",
        files=ListedFiles(project.root / "gone", {"gantry/__init__.py": 7}, "damaged: run again"),
        packages=("gantry",),
        name="gantry",
        version="2",
        immutable=True,
    )
    with pytest.raises(SourceError, match="run again"):
        check(open_tree(str(project.root), role="consumer"), target, None, CheckOptions())


def test_the_cache_is_shown_and_cleaned(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "info"]) == 0
    assert "(empty)" in capsys.readouterr().out
    project.check()
    capsys.readouterr()
    assert main(["cache", "info"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(str(project.root.parent / "cache"))
    assert "results          1 files" in out
    assert main(["cache", "clean", "result"]) == 2
    assert "there are results" in capsys.readouterr().err
    assert main(["cache", "clean", "results"]) == 0
    assert "removed 1 files" in capsys.readouterr().out
    assert project.check() == 1


def test_cleaning_follows_no_links(project: Project) -> None:
    cache = project.root.parent / "cache"
    cache.mkdir()
    (cache / "results").symlink_to(project.root)
    assert main(["cache", "clean"]) == 0
    assert project.user.exists()


def complete(*words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "driftcheck.cli"],
        env={
            **os.environ,
            "_DRIFTCHECK_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["driftcheck", *words]),
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_words_are_completed() -> None:
    assert "check" in complete("ch")
    assert "--output-format" in complete("check", "--output-f")
    assert complete("check", "--output-format", "sa") == ["sarif"]
    assert "DC201" in complete("rules", "explain", "DC2")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_DRIFTCHECK_COMPLETE" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_version_has_the_facts_for_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    out = capsys.readouterr().out
    for word in ("platform", "python", "rules", "cache", "libcst ", "msgspec ", "extras"):
        assert word in out


def test_fix_removes_unused_suppressions(project: Project) -> None:
    project.user.write_text("from gantry import lift\n\nlift(1)  # drift: ignore[DC201] old\n")
    arguments = ["fix", *project.arguments()[1:]]
    assert main(arguments) == 0
    assert project.user.read_text() == "from gantry import lift\n\nlift(1)\n"
