"""What cannot be run is said in one line, with the status for it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from validate.conftest import MINI, weaving

from driftcheck.validate.portable.results import load_results


def test_provider_missing(validate: Callable) -> None:
    done = validate(*weaving(), provider="consumer")
    assert done.returncode == 3
    assert "loom is not installed" in done.stdout


def test_another_version_than_the_findings(validate: Callable) -> None:
    done = validate(*weaving(), provider="provider-1")
    assert done.returncode == 3
    assert "1.0 is installed, the findings are about 2.0" in done.stdout


def test_any_version_runs_all_the_same(validate: Callable) -> None:
    done = validate(*weaving("--any-version", "--stages", "original"), provider="provider-1")
    assert done.returncode == 0, done.stdout


def test_a_device_that_the_scenario_does_not_know(validate: Callable) -> None:
    done = validate(*weaving("--device", "cuda"))
    assert done.returncode == 3
    assert "does not run on cuda" in done.stdout


def test_no_gpu(validate: Callable) -> None:
    done = validate("run", str(MINI / "scenarios" / "plain-loom.toml"), *weaving("--device", "cuda")[2:])
    assert done.returncode == 3
    assert "no GPU can be used" in done.stdout


TORCH = """
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 1)
    get_device_properties = staticmethod(lambda number: Card)
class Card:
    name, total_memory = "Small Card", 8 << 30
class version:
    cuda = "13.0"
__version__ = "2.11.0"
"""


@pytest.mark.parametrize(
    ("needs", "problem"),
    [
        ("memory-gib = 16", "the GPU has 8.0 GiB of memory, scenario plain-loom needs 16"),
        ('gpus = "{looms}"', "scenario plain-loom needs 2 GPUs, there is 1"),
    ],
)
def test_too_small_a_gpu(
    validate: Callable, scenario: Path, tmp_path: Path, needs: str, problem: str
) -> None:
    there = Path(shutil.copytree(MINI / "provider-2", tmp_path / "there"))
    (there / "torch.py").write_text(TORCH)
    file = scenario / "plain-loom.toml"
    text = file.read_text().replace("[devices.cuda]", f"[devices.cuda]\n{needs}")
    file.write_text(f'{text}\n[parameters]\nlooms = "2"\n')
    done = validate("run", str(file), *weaving("--device", "cuda")[2:], provider=str(there))
    assert done.returncode == 3
    assert problem in done.stdout


def test_an_interpreter_that_does_not_run(validate: Callable, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    words = weaving()
    words[words.index("--python") + 1] = str(broken)
    done = validate(*words)
    assert done.returncode == 3
    assert "does not run (status 7)" in done.stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--stages", "orignal"), "no stage orignal"),
        (("--set", "colour=red"), "the scenario's parameters: pause, side-by-side, threads"),
        (("--set", "threads"), "NAME=VALUE is wanted"),
        (("--set", "side_by_side=5"), "weaving takes 1, 2 for side-by-side"),
        (("--edits", "missing.json"), "does not exist"),
    ],
)
def test_usage(validate: Callable, words: tuple[str, ...], problem: str) -> None:
    done = validate(*weaving(*words))
    assert done.returncode == 2
    assert problem in " ".join(done.stderr.split())


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A copy of the scenarios to spoil."""
    return Path(shutil.copytree(MINI / "scenarios", tmp_path / "scenarios"))


def spoiled(scenario: Path, code: str, **settings: str) -> list[str]:
    (scenario / "weaving.py").write_text(code)
    text = (scenario / "weaving.toml").read_text()
    for name, value in settings.items():
        text = text.replace(f"{name} = ", f"{name} = {value} # ", 1)
    (scenario / "weaving.toml").write_text(text)
    words = weaving("--stages", "original", "--results", "r.json")
    words[1] = str(scenario / "weaving.toml")
    return words


def test_a_hang_is_a_result(validate: Callable, scenario: Path, tmp_path: Path) -> None:
    code = "def drive(run):\n    with run.step('start'):\n        import time; time.sleep(60)\n"
    done = validate(*spoiled(scenario, code, seconds="1"))
    assert done.returncode == 1
    attempt = load_results(tmp_path / "r.json").attempts[-1]
    assert (attempt.status, attempt.failures[0].step) == ("timeout", "start")


def test_a_crash_is_a_result(validate: Callable, scenario: Path, tmp_path: Path) -> None:
    code = "def drive(run):\n    with run.step('start'):\n        import ctypes; ctypes.string_at(0)\n"
    validate(*spoiled(scenario, code))
    attempt = load_results(tmp_path / "r.json").attempts[-1]
    assert attempt.status == "crash"
    assert "SIGSEGV" in (attempt.problem or "")
    assert any("Segmentation fault" in line for line in attempt.tail)


def test_a_driver_that_cannot_import(validate: Callable, scenario: Path) -> None:
    done = validate(*spoiled(scenario, "import no_such_thing_at_all\n"))
    assert done.returncode == 3
    assert "module no_such_thing_at_all is not installed" in done.stdout


def test_an_unsound_environment_confirms_nothing(validate: Callable, scenario: Path, tmp_path: Path) -> None:
    (scenario / "plain_loom.py").write_text("def drive(run):\n    raise RuntimeError('broken here')\n")
    done = validate(*spoiled(scenario, "def drive(run): raise ValueError\n"))
    assert done.returncode == 3
    assert "plain-loom does not work here: RuntimeError: broken here" in done.stdout
    assert [one.drive for one in load_results(tmp_path / "r.json").attempts] == ["plain-loom"]


def test_a_full_disk(tmp_path: Path) -> None:
    """A real file system of 64 KiB where that can be mounted."""
    import subprocess

    place = tmp_path / "small"
    place.mkdir()
    code = (
        f"mount -t tmpfs -o size=64k tmpfs {place} && TMPDIR={place} PYTHONPATH={MINI / 'provider-2'} "
        f"{sys.executable} -m driftcheck.cli validate "
        + " ".join(f"'{word}'" for word in weaving("--stages", "original"))
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    if "mount" in done.stderr and done.returncode not in (0, 3):
        pytest.skip("cannot mount a small file system here")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "o space left" in done.stdout + done.stderr
