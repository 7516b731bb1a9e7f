"""What is analysed is neither imported nor run, nor followed out of its root; only what was named is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.making import CONSUMER, NEW, OLD, codes, command, project, snapshot, spawned, write

CANARY = "import os, pathlib\npathlib.Path(os.environ['CANARY']).write_text('ran')\n"
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n[project]\nname = "dock"\nversion = "1"\n'


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A consumer and a provider whose every file writes a canary when it is run; the arguments to check them."""
    monkeypatch.setenv("CANARY", str(tmp_path / "canary"))
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    files = dict.fromkeys(
        ("conftest.py", "sitecustomize.py", "usercustomize.py", "evil.py", "click.py", "libcst.py", "msgspec.py",
         "rich.py", "tomllib.py", "site.py", "dock/__main__.py", "dock/typing.py"), CANARY)  # fmt: skip
    files |= {"setup.py": CANARY + "from setuptools import setup\nsetup(name='dock', packages=['dock'])\n",
              "pyproject.toml": PYPROJECT, "dock/__init__.py": CONSUMER + CANARY, "dock/a.pth": CANARY,
              "evil.pth": "import evil\n"}  # fmt: skip
    return project(tmp_path, files, new=NEW + CANARY, old=OLD + CANARY)


def test_check_and_fix(trap: list[str], tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    assert command("check", *trap)[0] == 1
    assert command("fix", *trap, "--diff", "--unsafe-fixes")[0] == 1
    after = {path: found for path, found in snapshot(tmp_path).items() if "/cache" not in path}
    assert {path for path in before if path != str(tmp_path)} == {
        path for path in after if path != str(tmp_path)
    }
    assert all(after[path] == found for path, found in before.items() if path != str(tmp_path))


def test_from_inside_the_consumer(trap: list[str], tmp_path: Path) -> None:
    """The installed command does not take its own modules from the directory that it is called in."""
    script = Path(sys.executable).with_name("driftcheck")
    if not script.exists():
        pytest.skip("driftcheck is not installed here")
    before = snapshot(tmp_path / "mine")
    done = subprocess.run(
        [script, "check", ".", *trap[1:]], cwd=tmp_path / "mine", capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert not (tmp_path / "canary").exists()
    assert snapshot(tmp_path / "mine") == before


def test_fix_writes_the_file_and_nothing_else(trap: list[str], tmp_path: Path) -> None:
    before = snapshot(tmp_path)
    assert command("fix", *trap, "--unsafe-fixes")[0] in (0, 1)
    changed = {
        path for path, found in snapshot(tmp_path).items()
        if before.get(path, (0, 0, b""))[2] != found[2] and "/cache" not in path
    }  # fmt: skip
    assert changed <= {str(tmp_path / "mine/dock/__init__.py")}


def test_an_interpreter_that_the_project_names_is_not_run(trap: list[str], tmp_path: Path) -> None:
    for where in ("mine/env/bin/python", "mine/python"):
        write(tmp_path, {where: f"#!/bin/sh\necho ran > {tmp_path}/canary\necho '[]'\n"})
        (tmp_path / where).chmod(0o755)
    for value in ("env/bin/python", "python", "env"):
        write(tmp_path, {"mine/pyproject.toml": PYPROJECT + f'[tool.driftcheck]\npython = "{value}"\n'})
        status, _, err = command("check", str(tmp_path / "mine"), "--against", "gantry")
        assert status == 3 and "--python" in err
        assert not (tmp_path / "canary").exists()


def test_an_environment_that_names_its_base_is_not_a_way_to_run_something(
    trap: list[str], tmp_path: Path
) -> None:
    evil = tmp_path / "mine/evil/python3"
    write(tmp_path, {"mine/evil/python3": f"#!/bin/sh\necho ran > {tmp_path}/canary\necho '[]'\n"})
    evil.chmod(0o755)
    write(tmp_path, {
        "mine/env/pyvenv.cfg": f"home = {evil.parent}\ninclude-system-site-packages = true\n",
        "mine/env/bin/python": "",
        "mine/env/lib/python3.11/site-packages/x.py": "",
        "mine/pyproject.toml": PYPROJECT + '[tool.driftcheck]\npython = "env/bin/python"\n',
    })  # fmt: skip
    status, _, _ = command("check", str(tmp_path / "mine"), "--against", "gantry")
    assert status == 3
    assert not (tmp_path / "canary").exists()


def test_links_out_are_not_followed(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    write(tmp_path, {"outside/secret.py": CONSUMER, "outside/pkg/__init__.py": CONSUMER})
    mine = tmp_path / "mine/dock"
    os.symlink(tmp_path / "outside/secret.py", mine / "secret.py")
    os.symlink(tmp_path / "outside/pkg", mine / "pkg")
    os.symlink("/dev/zero", mine / "zero.py")
    os.symlink(mine, mine / "loop")
    os.mkfifo(mine / "pipe.py")
    for name in ("pyproject.toml", "setup.cfg", "setup.py", "PKG-INFO"):
        os.symlink("/dev/zero", tmp_path / "mine" / name)
    done = spawned("check", *arguments, "--output-format", "concise", timeout=60)
    assert done.returncode == 1, done.stderr
    assert {line.split(":")[0] for line in done.stdout.splitlines() if ": DC" in line} == {"dock/__init__.py"}


def test_metadata_does_not_lead_out(tmp_path: Path) -> None:
    arguments = project(tmp_path)
    write(tmp_path, {"outside/version.py": '__version__ = "6.6.6"\n', "outside/r.txt": "gantry==6\n"})
    write(tmp_path, {"mine/pyproject.toml": (
        '[project]\nname = "dock"\ndynamic = ["version", "dependencies"]\n'
        '[tool.hatch.version]\npath = "../outside/version.py"\n'
        '[tool.setuptools]\npackage-dir = {"" = "../outside"}\npackages = ["dock", "outside"]\n'
        '[tool.setuptools.dynamic]\ndependencies = {file = ["../outside/r.txt", "/etc/passwd"]}\n')})  # fmt: skip
    status, out, err = command("check", *arguments, "--output-format", "json")
    assert status == 1, err
    assert "6.6.6" not in out and "6" not in [
        one.get("version") for one in json.loads(out).values() if isinstance(one, dict)
    ]


def test_rules_and_baselines_are_read_only(tmp_path: Path) -> None:
    """A configuration may name files outside: they are read as what they should be, or refused in one line."""
    arguments = project(tmp_path)
    for line in (
        'baseline = "/etc/passwd"',
        'baseline = "/dev/zero"',
        'rules = ["/dev"]',
        'rules = ["../outside"]',
    ):
        write(tmp_path, {"mine/pyproject.toml": f"[tool.driftcheck]\n{line}\n"})
        done = spawned("check", *arguments, timeout=60)
        assert done.returncode in (1, 2) and "Traceback" not in done.stderr and "root:" not in done.stderr


def test_the_report_is_the_same_from_memory_of_hostile_names(tmp_path: Path) -> None:
    """Modules called like the standard library's do not shadow what driftcheck itself uses."""
    arguments = project(
        tmp_path, {"dock/__init__.py": CONSUMER, "json.py": CANARY, "ast.py": CANARY, "re.py": CANARY}
    )
    done = spawned("check", *arguments, "--output-format", "json", cwd=tmp_path / "old")
    assert done.returncode == 1, done.stderr
    assert codes(json.loads(done.stdout)) == ["DC201", "DC102"] or "DC201" in done.stdout
