"""The second run: quick, light, and never another answer than a first one would give."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from lint.project import NEW, Project

HEAVY = (
    "libcst",
    "networkx",
    "rich.console",
    "ast",
    "tokenize",
    "driftcheck.engine.session",
    "driftcheck.infer",
)


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, an answer that is not in the cache is an error."""

    def refuse(*arguments: object) -> None:
        raise AssertionError("worked out again")

    return lambda: monkeypatch.setattr("driftcheck.engine.examine._worked_out", refuse)


def same_as_cold(project: Project) -> list[tuple[str, str, int]]:
    """The findings of a run that may use the cache, after it is compared with one that may not."""
    warm = project.report()
    cold = project.report("--no-cache")
    assert warm == cold
    return [(one["code"], one["path"], one["line"]) for one in warm["findings"]]


def test_nothing_changed_nothing_done(project: Project, no_work: Callable[[], None]) -> None:
    first = project.report()
    no_work()
    assert project.report() == first
    # What is applied after the answer needs no new one.
    assert project.found("--select", "DC1") == []
    assert project.check("--no-cache") == 3, "without the cache it is worked out, and so refused here"


def test_every_change_is_seen(project: Project) -> None:
    assert same_as_cold(project) == [("DC201", "dock/__init__.py", 5)]
    # A new consumer file.
    project.write("src/dock/more.py", "from gantry.arm import reach\n")
    assert ("DC101", "dock/more.py", 1) in same_as_cold(project)
    # A module that was looked for and not found.
    project.write("new/gantry/arm.py", "")
    assert ("DC102", "dock/more.py", 1) in same_as_cold(project)
    # A package that shadows the module.
    project.write("new/gantry/arm/__init__.py", "def reach(): ...\n")
    assert same_as_cold(project) == [("DC201", "dock/__init__.py", 5)]
    # A re-export from elsewhere.
    project.write("new/gantry/lifting.py", "def lift(load, fast=False): ...\n")
    project.write("new/gantry/__init__.py", "from gantry.lifting import lift\n")
    assert same_as_cold(project) == []
    # The re-exported module changes, not the one that is imported.
    project.write("new/gantry/lifting.py", "def lift(load): ...\n")
    assert same_as_cold(project) == [("DC201", "dock/__init__.py", 5)]
    # A file goes away.
    (project.root / "src/dock/more.py").unlink()
    (project.root / "new/gantry/lifting.py").unlink()
    same_as_cold(project)


def test_an_edit_where_the_provider_is_not_mentioned_costs_nothing(
    project: Project, no_work: Callable[[], None]
) -> None:
    project.write("src/dock/ropes.py", "knots = 1\n")
    first = project.report()
    project.write("src/dock/ropes.py", "knots = 2\n\n\ndef tie():\n    return knots\n")
    no_work()
    assert project.report() == first


@pytest.mark.parametrize(
    "text",
    [
        "import gantry\ngantry.nothing\n",  # mentions the provider now
        "knots = 1  # drift: ignore[DC201]\n",  # has a suppression now
        "knots = '\0'\n",  # is no Python file any more
    ],
)
def test_an_edit_that_answers_a_search_otherwise_is_seen(project: Project, text: str) -> None:
    project.write("src/dock/ropes.py", "knots = 1\n")
    before = same_as_cold(project)
    project.write("src/dock/ropes.py", text)
    assert same_as_cold(project) != before


def test_an_edit_of_a_module_that_was_followed_is_seen(project: Project) -> None:
    project.write("src/dock/ropes.py", "OLD = False\n")
    project.write(
        "src/dock/more.py", "import gantry\nfrom dock.ropes import OLD\nif OLD:\n    gantry.nothing\n"
    )
    before = same_as_cold(project)
    project.write("src/dock/ropes.py", "OLD = True\n")
    assert set(same_as_cold(project)) - set(before) == {("DC102", "dock/more.py", 4)}


def test_known_good_counts_too(project: Project) -> None:
    assert project.report()["findings"][0]["status"] == "introduced"
    project.write("old/gantry/__init__.py", NEW)
    assert same_as_cold(project)
    assert project.report()["findings"][0]["status"] == "preexisting"


def test_metadata_counts_too(project: Project) -> None:
    from driftcheck.cli import main

    main(["check", "--against", str(project.new)])
    project.configure('dependencies = ["gantry==1"]\n')
    project.write("new/pyproject.toml", '[project]\nname = "gantry"\nversion = "2.5"\n')
    assert project.report()["target"] == {"spec": str(project.new), "version": "2.5"}


def test_suppressions_count_too(project: Project) -> None:
    project.report()
    project.user.write_text(project.user.read_text().replace("True)", "True)  # drift: ignore"))
    assert same_as_cold(project) == []


def test_a_switched_branch_with_equal_times_and_sizes(project: Project) -> None:
    """Same path, size and mtime, other content; also with the inode that the old file had."""
    project.git("init", "-q", "-b", "main")
    text = project.user.read_text()
    project.commit()
    project.git("checkout", "-q", "-b", "other")
    project.user.write_text(text.replace("fast=True", "slow=True"))
    project.commit()
    project.git("checkout", "-q", "main")
    then = 1_600_000_000 * 10**9
    os.utime(project.user, ns=(then, then))
    first = project.report()
    project.git("checkout", "-q", "other")
    os.utime(project.user, ns=(then, then))
    assert same_as_cold(project)
    assert project.report() != first
    # In place: even the inode is the same.
    project.git("checkout", "-q", "main")
    os.utime(project.user, ns=(then, then))
    assert project.report() == first
    with project.user.open("r+") as file:
        file.write(text.replace("fast=True", "slow=True"))
    os.utime(project.user, ns=(then, then))
    assert project.report() != first
    same_as_cold(project)


def entries(project: Project) -> list[Path]:
    return sorted((project.root.parent / "cache" / "results").glob("*.result"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-7],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda data: data[:-5] + b"\xff\xff\xff\xff\xff",
        lambda data: data.replace(b"driftcheck result 2", b"driftcheck result 1"),
        lambda data: b"\x80\x04K\x01." + data,
    ],
)
def test_a_damaged_entry_is_as_good_as_none(project: Project, damage: Callable[[bytes], bytes]) -> None:
    first = project.report()
    (entry,) = entries(project)
    entry.write_bytes(damage(entry.read_bytes()))
    assert project.report() == first
    (entry,) = entries(project)
    entry.unlink()
    entry.mkdir()
    assert project.report() == first


def test_an_entry_of_another_question_is_not_taken(project: Project) -> None:
    project.report()
    (one,) = entries(project)
    project.write("src/dock/__init__.py", "from gantry import lift\n")
    shutil.move(project.root / "src/dock", project.root / "src/quay")
    project.configure("")
    project.write("pyproject.toml", '[project]\nname = "quay"\nversion = "1"\n')
    project.report()
    (other,) = set(entries(project)) - {one}
    shutil.copy(one, other)
    assert same_as_cold(project) == []


def test_another_driftcheck_does_not_take_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.report()
    monkeypatch.setattr("driftcheck.engine.results.__version__", "0.0.0")
    project.report()
    assert len(entries(project)) == 2


def test_a_cache_that_cannot_be_written_is_done_without(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", "/dev/null/cache")
    assert project.check() == 1


def test_old_entries_are_dropped(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftcheck.engine.results.MAX_ENTRIES", 3)
    for number in range(6):
        project.user.write_text("from gantry import lift\n" * (number + 1))
        project.new = project.package(f"new{number}/gantry", NEW)
        project.report()
    assert len(entries(project)) <= 3


def run(project: Project, *more: str, code: str = "") -> subprocess.Popen[str]:
    program = f"import sys; from driftcheck.cli import main; status = main(sys.argv[1:]); {code or 'sys.exit(status)'}"
    return subprocess.Popen(
        [sys.executable, "-c", program, *project.arguments("--output-format", "json", *more)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_several_processes_at_once(project: Project) -> None:
    together = [run(project) for _ in range(4)]
    answers = [one.communicate(timeout=120)[0] for one in together]
    assert {one.returncode for one in together} == {1}
    assert len(set(answers)) == 1
    assert len(entries(project)) == 1
    assert not list((project.root.parent / "cache" / "results").glob(".tmp-*"))


def test_a_warm_run_imports_nothing_heavy(project: Project) -> None:
    project.check()
    heavy = f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    for form in ("text", "concise", "json", "github", "markdown"):
        _, err = run(project, "--output-format", form, code=heavy).communicate(timeout=60)
        loaded = eval(err.splitlines()[-1])
        # A frame shows source lines, whose encoding `tokenize` tells.
        assert set(loaded) <= {"ast", "tokenize"}, (form, loaded)
