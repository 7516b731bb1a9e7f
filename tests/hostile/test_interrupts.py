"""Ctrl-C ends a run at once with 130, says nothing more, and leaves the caches sound."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile.making import checked, codes, project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a process here")

BUSY = "import gantry\n" + "".join(
    f"class C{n}(gantry.Base):\n    def run(self):\n        self.a = gantry.lift({n}, slow=True)\n        return self.a.b\n"
    for n in range(4_000)
)
OLD = "class Base: ...\ndef lift(weight, slow=False): ...\n"
NEW = "class Base: ...\ndef lift(weight): ...\n"


@pytest.mark.parametrize("after", [0.0, 0.3, 1.5])
def test_at_once(tmp_path: Path, after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    arguments = project(tmp_path, {"dock/__init__.py": BUSY}, new=NEW, old=OLD)
    code = "import sys; from driftcheck.cli import main; print('ready', flush=True); sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "check", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    began = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert time.perf_counter() - began < 10  # a second on an idle machine
    small = project(tmp_path / "small")
    assert "DC201" in codes(checked(*small))


def test_progress_on_a_terminal_only(tmp_path: Path) -> None:
    arguments = project(tmp_path, {"dock/__init__.py": BUSY}, new=NEW, old=OLD)
    words = [
        sys.executable,
        "-m",
        "driftcheck.cli",
        "check",
        *arguments,
        "--no-cache",
        "--output-format",
        "concise",
    ]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 4096):
            seen += chunk
            if b"checking against" in seen and b"%" in seen:
                process.send_signal(signal.SIGINT)
                break
    except OSError:  # Linux: the other end is closed
        pass
    process.wait(timeout=60)
    os.close(ours)
    assert b"checking against" in seen and b"%" in seen
    assert process.returncode == 130
