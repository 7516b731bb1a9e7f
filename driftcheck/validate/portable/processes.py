"""A program in a session of its own, under a time and a memory limit, with nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_POLL = 0.2
_GRACE = 3.0  # seconds between asking a process to end and ending it
_SHORT_GRACE = 0.3  # the same for what a program that ended by itself left behind


@dataclass
class Ending:
    """How a program ended: ``exit``, ``signal``, ``timeout``, ``memory`` or ``interrupted``."""

    how: str
    code: int
    seconds: float
    peak_mib: int


def run_limited(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    log: Path,
    seconds: float,
    memory_gib: float,
    stop: threading.Event,
    mark: tuple[str, str],
) -> Ending:
    """Runs a program to its end or to a limit, its output in ``log``.

    ``mark`` is a variable and a value, unique to this run, by which descendants that left its process
    group are found (where the system shows their environment). Raises OSError where it cannot start.
    """
    began = time.monotonic()
    peak = 0
    how = ""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**environment, mark[0]: mark[1]},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while process.poll() is None:
            peak = max(peak, _resident_mib(process.pid))
            if stop.is_set():
                how = "interrupted"
            elif time.monotonic() - began > seconds:
                how = "timeout"
            elif memory_gib and peak > memory_gib * 1024:
                how = "memory"
            if how:
                break
            time.sleep(_POLL)
    finally:
        _end_group(process, _GRACE if how else _SHORT_GRACE)
        _end_marked(mark)
    code = process.wait()
    return Ending(how or ("signal" if code < 0 else "exit"), code, time.monotonic() - began, peak)


def _end_group(process: subprocess.Popen[bytes], grace: float) -> None:
    """Ends what is left of the program's own process group: politely, then at once."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except (ProcessLookupError, PermissionError):
            break
        until = time.monotonic() + grace
        while time.monotonic() < until:
            process.poll()
            try:
                os.killpg(process.pid, 0)
            except (ProcessLookupError, PermissionError):
                return
            time.sleep(0.05)


def _end_marked(mark: tuple[str, str]) -> None:
    """Ends descendants that started a session of their own, by their ids."""
    wanted = f"{mark[0]}={mark[1]}".encode()
    for entry in _processes():
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue


def _processes() -> list[Path]:
    proc = Path("/proc")
    if not proc.is_dir():
        return []
    own = str(os.getpid())
    return [entry for entry in proc.iterdir() if entry.name.isdecimal() and entry.name != own]


def _resident_mib(session: int) -> int:
    """Memory of every process of a session; what its processes share is counted for each."""
    total = 0
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in _processes():
        try:
            # The name in parentheses may hold spaces; state, parent, group and session follow it.
            fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session:
                resident, shared = (entry / "statm").read_text().split()[1:3]
                total += max(int(resident) - int(shared), 0) * page
        except (OSError, ValueError, IndexError):
            continue
    return total >> 20
