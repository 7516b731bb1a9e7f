"""The portable part runs where there is only a Python 3.10."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from validate.conftest import weaving

import driftcheck.validate.portable as portable

FILES = sorted(Path(portable.__file__).parent.rglob("*.py"))
# Asked for inside a function that says so where it is missing.
OPTIONAL = {"packaging", "torch"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_the_standard_library(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"), feature_version=(3, 10))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 1, "the portable part imports nothing outside itself"
    assert names - set(sys.stdlib_module_names) <= OPTIONAL


def other_python() -> str:
    """The oldest interpreter there is that the portable part is meant for; else this one."""
    candidates = [
        shutil.which("python3.10"),
        *map(str, Path.home().glob(".pyenv/versions/3.10.*/bin/python")),
    ]
    for found in candidates:
        if found and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0:
            return found
    return sys.executable


def test_a_packed_run(validate: Callable, mini: Path, tmp_path: Path) -> None:
    packing = weaving("--edits", str(mini / "edits.json"), "--out", "run.pyz")
    packing[0] = "pack"
    at = packing.index("--python")
    packed = validate(*packing[:at], *packing[at + 2 :])
    assert packed.returncode == 0, packed.stderr
    python = other_python()
    environment = {"PYTHONPATH": str(mini / "provider-2"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [python, "run.pyz", "--results", "there.json", "--jobs", "3"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "all fixes together are enough" in done.stdout
    shown = validate("report", "there.json", "--html", "there.html")
    assert shown.returncode == 1
    assert "<ol class=chain>" in (tmp_path / "there.html").read_text()
