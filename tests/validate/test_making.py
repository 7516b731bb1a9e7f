"""Environments made for a run, from the real index."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from driftcheck.validate.making import _reason


@pytest.mark.network
def test_an_environment_without_one_requirement(validate: Callable, tmp_path: Path) -> None:
    # python-dateutil requires six and nothing else.
    words = [
        "env",
        "python-dateutil==2.9.0.post0",
        "--into",
        "made",
        "--without",
        "six",
        "--with",
        "toml==0.10.2",
    ]
    done = validate(*words, "--tool", "pip")
    assert done.returncode == 0, done.stderr
    names = subprocess.run(
        [str(tmp_path / "made" / "bin" / "python"), "-m", "pip", "list", "--format", "freeze"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.lower()
    assert "python-dateutil==2.9.0.post0" in names
    assert "toml==0.10.2" in names
    assert "six==" not in names


@pytest.mark.network
def test_no_such_release(validate: Callable) -> None:
    done = validate("env", "python-dateutil==0.0.0.1", "--into", "made", "--tool", "pip")
    assert done.returncode == 3
    assert "pip failed: ERROR:" in done.stderr


def test_a_directory_that_is_something_else(validate: Callable, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "file").write_text("")
    done = validate("env", "six", "--into", "made")
    assert done.returncode == 3
    assert "is not empty and no environment" in done.stderr


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (
            "ERROR: Cannot install loom==2 because these package versions have conflicting dependencies.\n"
            "ERROR: ResolutionImpossible: for help visit somewhere\n",
            "ERROR: Cannot install loom==2 because these package versions have conflicting dependencies.",
        ),
        (
            "Using Python 3.11\nerror: No solution found when resolving dependencies\n"
            "  cause: Because there is no version of yarn==2+local\n         and loom needs it\n",
            "error: No solution found when resolving dependencies cause: Because there is no version of "
            "yarn==2+local and loom needs it",
        ),
        ("the interpreter was killed\n", "the interpreter was killed"),
        ("", ""),
    ],
)
def test_an_installer_s_reason_in_one_line(output: str, reason: str) -> None:
    assert _reason(output) == reason
