"""Fixtures of the validation tests: the small loom and weaver of fixtures/validation/mini."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MINI = Path(__file__).resolve().parents[2] / "fixtures" / "validation" / "mini"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that build a real provider's environment run only when they are asked for by their mark."""
    if "engine" in (config.getoption("-m") or ""):
        return
    for item in items:
        if item.get_closest_marker("engine"):
            item.add_marker(pytest.mark.skip(reason="builds an environment of some GB; run with -m engine"))


@pytest.fixture(scope="session")
def mini() -> Path:
    return MINI


@pytest.fixture
def validate(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """``validate("run", …, provider="provider-2")``: the command in a process of its own."""

    def run(*words: str, provider: str = "provider-2") -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(MINI / provider), "NO_COLOR": "1"}
        return subprocess.run(
            [sys.executable, "-m", "driftcheck.cli", "validate", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=300,
            check=False,
        )

    return run


def weaving(*words: str, against: str = "provider-2") -> list[str]:
    """The words of a run of the weaving scenario here, in this interpreter's environment."""
    return [
        "run",
        str(MINI / "scenarios" / "weaving.toml"),
        "--consumer",
        str(MINI / "consumer"),
        "--against",
        str(MINI / against),
        "--known-good",
        str(MINI / "provider-1"),
        "--python",
        sys.executable,
        *words,
    ]
