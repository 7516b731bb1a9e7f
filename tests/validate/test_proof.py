"""A run's results as the proof that ``fix`` takes: from ``validate run`` to the repaired file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from validate.conftest import MINI, weaving

RECORDED = MINI.parent


def fix(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "driftcheck.cli", "fix", *words]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the small projects and ``r.json``: a run of the analysis' own fixes, one left out at a time."""
    directory = tmp_path_factory.mktemp("proof") / "mini"
    shutil.copytree(MINI, directory)
    words = weaving("--stages", "original,all,chain,ablation", "--results", "r.json")
    done = subprocess.run(
        [sys.executable, "-m", "driftcheck.cli", "validate", *words],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(MINI / "provider-2")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return directory


def asked(target: str = "provider-2", known_good: str = "provider-1") -> list[str]:
    return ["consumer", "--against", target, "--known-good", known_good, "--proof", "r.json"]


def test_what_the_run_proved_is_applied_and_nothing_else(proven: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(proven, tmp_path / "here"))
    done = fix(place, *asked())
    assert done.returncode == 1, done.stderr
    assert "weaver/cloth.py:17: DC201 unsafe: drop the keyword colour" in done.stdout
    cloth = (place / "consumer" / "weaver" / "cloth.py").read_text()
    # The scenario weaves and never mends: of the two unsafe fixes only the first was shown to be needed.
    assert cloth.count('colour="red"') == 1
    assert 'return Loom(1, colour="red").weave(cloth)' in cloth


def test_without_it_the_unsafe_fix_waits(proven: Path) -> None:
    done = fix(proven, *asked()[:-2], "--diff")
    assert "weaver/cloth.py:17: DC201 left:" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "change", "said"),
    [
        (asked(), "\n# another line\n", "that run was of weaver==0.1 with other bytes than these files have"),
        (asked("provider-1", "provider-2"), "", "that run was on 2.0, this is about 1.0"),
    ],
)
def test_a_run_of_something_else_is_refused(
    proven: Path, tmp_path: Path, words: list[str], change: str, said: str
) -> None:
    place = Path(shutil.copytree(proven, tmp_path / "here"))
    file = place / "consumer" / "weaver" / "cloth.py"
    file.write_text(file.read_text() + change)
    before = file.read_text()
    done = fix(place, *words)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"driftcheck: error: r.json: {said}; validate these files on this target, or leave --proof out"
    ]
    assert file.read_text() == before


@pytest.mark.network
def test_a_recorded_run_of_a_real_consumer(tmp_path: Path) -> None:
    proof = RECORDED / "speculators-0.3.0-on-vllm-0.16.0.cuda.json"
    words = ["speculators==0.3.0", "--known-good", "0.11.0", "--diff", "--proof", str(proof)]
    done = fix(tmp_path, *words, "--against", "vllm==0.16.0")
    assert done.returncode == 1, done.stderr
    assert "Would fix 9 drifts in 2 files; 0 left" in done.stdout + done.stderr
    other = fix(tmp_path, *words, "--against", "vllm==0.25.1")
    assert other.returncode == 2
    assert "that run was on 0.16.0, this is about 0.25.1" in other.stderr
