"""A user's own tests as the scenario."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from validate.conftest import MINI

from driftcheck.validate.portable.results import load_results

TEST = """
from weaver import Weaver


def test_weave():
    assert Weaver(2).weave([1, 2]) == ([2, 4], 2)


def test_twice():
    weaver = Weaver(2)
    assert weaver.weave([1]) == weaver.weave([1])
"""


def words(*more: str, tests: str = "tests") -> list[str]:
    given = [
        "--consumer",
        "project",
        "--against",
        str(MINI / "provider-2"),
        "--known-good",
        str(MINI / "provider-1"),
    ]
    return [
        "pytest",
        *given,
        "--python",
        sys.executable,
        "--results",
        "r.json",
        "--module",
        "loom",
        *more,
        "--",
        tests,
    ]


def test_own_tests_before_and_after(validate: Callable, tmp_path: Path) -> None:
    shutil.copytree(MINI / "consumer", tmp_path / "project")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_weaver.py").write_text(TEST)
    before = sorted(path for path in (tmp_path / "project").rglob("*"))
    done = validate(*words("--edits", str(MINI / "edits.json"), "--stages", "original,all,chain"))
    assert done.returncode == 1, done.stdout + done.stderr
    results = load_results(tmp_path / "r.json")
    assert results.verdicts.all_sufficient is True
    assert results.verdicts.claims["DC201@cloth.py:17"].verdict == "confirmed"
    assert results.chain[-1].failure == ""
    assert str(tmp_path) not in (tmp_path / "r.json").read_text()
    assert sorted(path for path in (tmp_path / "project").rglob("*")) == before


def test_no_test_is_no_answer(validate: Callable, tmp_path: Path) -> None:
    shutil.copytree(MINI / "consumer", tmp_path / "project")
    (tmp_path / "tests").mkdir()
    done = validate(*words("--stages", "original"))
    assert done.returncode == 3
    assert "pytest found no test" in done.stdout
