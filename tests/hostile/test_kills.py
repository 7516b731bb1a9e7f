"""``kill -9`` at any moment of ``fix`` and of cache writing: every file is whole, old or new, and the next run is right."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile.making import CONSUMER, NEW, OLD, checked, codes, command, write
from sources.making import simple_sdist

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")

FILES = 6
TEXT = CONSUMER + "".join(f"# a line to make the file longer, number {number}\n" for number in range(500))
# A run in which every step that touches the disk takes a moment, so that a kill falls between any two of them.
SLOW = """
import os, sys, time
def slowed(function):
    def call(*args, **options):
        time.sleep(0.004)
        return function(*args, **options)
    return call
for name in ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir"):
    setattr(os, name, slowed(getattr(os, name)))
from driftcheck.cli import main
print("ready", flush=True)
sys.exit(main(sys.argv[1:]))
"""


def killed(chance: random.Random, longest: float, *arguments: str) -> bool:
    """Whether a command, killed at a moment of up to `longest` seconds after it began its work, was cut short."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(chance.uniform(0, longest))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def lasting(*arguments: str) -> float:
    """How long such a run takes after it is ready, undisturbed."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    process.stdout.readline()
    began = time.perf_counter()
    process.communicate()
    return time.perf_counter() - began


def setting(tmp_path: Path) -> list[str]:
    write(tmp_path / "old", {"gantry/__init__.py": OLD})
    write(tmp_path / "new", {"gantry/__init__.py": NEW})
    write(tmp_path / "mine", {"dock/__init__.py": ""} | {f"dock/m{n}.py": TEXT for n in range(FILES)})
    return [str(tmp_path / "mine"), "--against", str(tmp_path / "new"), "--known-good", str(tmp_path / "old")]


@pytest.mark.parametrize("kills", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_fix(tmp_path: Path, kills: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    arguments = setting(tmp_path)
    whole = lasting("fix", *arguments, "--unsafe-fixes")
    fixed = (tmp_path / "mine/dock/m0.py").read_text()
    assert fixed != TEXT and "slow=True" not in fixed
    chance, cut, both = random.Random(7), 0, 0
    for _ in range(4 * kills):
        if cut == kills:
            break
        setting(tmp_path)
        cut += killed(chance, whole, "fix", *arguments, "--unsafe-fixes")
        found = [(tmp_path / f"mine/dock/m{n}.py").read_text() for n in range(FILES)]
        assert all(text in (TEXT, fixed) for text in found)
        both += len(set(found)) == 2
        for left in (tmp_path / "mine/dock").glob(".*.driftcheck"):
            left.unlink()  # a kill leaves what was being written beside the file, under a name of its own
        assert command("fix", *arguments, "--unsafe-fixes")[0] in (0, 1)
        assert all((tmp_path / f"mine/dock/m{n}.py").read_text() == fixed for n in range(FILES))
    assert cut == kills
    assert both or kills < 50  # some kills fell between two files


@pytest.mark.parametrize("kills", [7, pytest.param(100, marks=pytest.mark.slow)])
def test_caches(tmp_path: Path, kills: int, index) -> None:  # type: ignore[no-untyped-def]
    """Killed while the release is fetched, unpacked and the result kept: what is there is complete or unused."""
    modules = {f"m{number}": f"x = {number}\n" * 300 for number in range(40)}
    for version, text in (("1.0", OLD), ("2.0", NEW)):
        index.add(f"gantry-{version}.tar.gz", simple_sdist("gantry", version, core=text, **modules))
    write(
        tmp_path / "mine",
        {"dock/__init__.py": CONSUMER.replace("import gantry", "from gantry import core as gantry")},
    )
    arguments = [str(tmp_path / "mine"), "--against", "gantry==2.0", "--known-good", "1.0"]
    cache = tmp_path / "cache"
    whole = lasting("check", *arguments)
    expected = codes(checked(*arguments))
    assert "DC201" in expected
    chance, cut = random.Random(11), 0
    number = -1
    while cut < kills and number < 4 * kills:
        number += 1
        if number % 2 == 0:
            subprocess.run(["rm", "-rf", str(cache)], check=True)
        elif number % 4 == 1:
            subprocess.run(["rm", "-rf", str(cache / "results")], check=True)
        cut += killed(chance, whole, "check", *arguments)
        for marker in cache.rglob("release.json"):
            assert marker.parent.name.startswith(".tmp-") or marker.read_text().endswith("}")
        assert codes(checked(*arguments)) == expected
        assert codes(checked(*arguments)) == expected  # from the result cache
    assert cut == kills
    assert not [place for place in cache.rglob(".tmp-*") if not os.access(place, os.R_OK)]
