"""Limits of an attempt's processes, and that nothing is left of them."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from driftcheck.validate.portable.processes import Ending, run_limited

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def run(tmp_path: Path, code: str, stop: threading.Event | None = None, **limits: float) -> Ending:
    return run_limited(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        environment=dict(os.environ),
        log=tmp_path / "log",
        seconds=limits.get("seconds", 20),
        memory_gib=limits.get("memory_gib", 4),
        stop=stop or threading.Event(),
        mark=("DRIFTCHECK_TEST_MARK", tmp_path.name),
    )


def marked(tmp_path: Path) -> list[int]:
    wanted = f"DRIFTCHECK_TEST_MARK={tmp_path.name}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and wanted in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_an_ordinary_end(tmp_path: Path) -> None:
    ending = run(tmp_path, "import sys; print('hello'); sys.exit(3)")
    assert (ending.how, ending.code) == ("exit", 3)
    assert (tmp_path / "log").read_text() == "hello\n"


def test_a_signal(tmp_path: Path) -> None:
    ending = run(tmp_path, "import os; os.kill(os.getpid(), 11)")
    assert (ending.how, ending.code) == ("signal", -11)


def test_a_hang_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    assert run(tmp_path, code, seconds=0.5).how == "timeout"
    assert time.monotonic() - began < 15
    assert marked(tmp_path) == []


def test_memory_is_limited(tmp_path: Path) -> None:
    code = "import time; x = b'x' * (400 << 20); time.sleep(30)"
    ending = run(tmp_path, code, memory_gib=0.2)
    assert ending.how == "memory"
    assert ending.peak_mib >= 200


def test_orphans_are_ended_also_in_a_session_of_their_own(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "for own in (False, True):\n"
        "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=own)\n"
    )
    assert run(tmp_path, code).how == "exit"
    until = time.monotonic() + 5
    while marked(tmp_path) and time.monotonic() < until:
        time.sleep(0.1)
    assert marked(tmp_path) == []


def test_stopping(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    assert run(tmp_path, "import time; time.sleep(60)", stop=stop).how == "interrupted"
    assert marked(tmp_path) == []
