"""A provider in two releases and a consumer on disk, and the command in this process or in one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from driftcheck.cli import main

OLD = "def lift(weight, slow=False): ...\ndef turn(angle): ...\nLIMIT = 1\n"
NEW = "def lift(weight): ...\ndef spin(angle): ...\n"
CONSUMER = "import gantry\n\n\ndef run():\n    gantry.lift(1, slow=True)\n    return gantry.turn(2)\n"


def project(
    root: Path, consumer: Mapping[str, str | bytes] | None = None, new: str = NEW, old: str = OLD
) -> list[str]:
    """Writes all three below `root`; the arguments that check the consumer, without the command."""
    write(root / "old", {"gantry/__init__.py": old})
    write(root / "new", {"gantry/__init__.py": new})
    write(root / "mine", consumer if consumer is not None else {"dock/__init__.py": CONSUMER})
    return [str(root / "mine"), "--against", str(root / "new"), "--known-good", str(root / "old")]


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes files below `root`."""
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content)


def command(*arguments: str) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of a command in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        status = main(list(arguments))
    out, err = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    return status, out, err


def checked(*arguments: str) -> dict[str, Any]:
    """The JSON report of a check that must not fail for any other reason than its findings."""
    status, out, err = command("check", *arguments, "--output-format", "json", "--show-possible")
    assert status in (0, 1), err
    return json.loads(out)


def codes(report: Mapping[str, Any]) -> list[str]:
    """The codes of a report's findings, in its order."""
    return [one["code"] for one in report["findings"]]


def spawned(
    *arguments: str, cwd: Path | None = None, timeout: float = 120, **environ: str
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "driftcheck.cli", *arguments],
        capture_output=True, text=True, timeout=timeout, cwd=cwd, env={**os.environ, **environ},
    )  # fmt: skip


def snapshot(*roots: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, modification time and content of everything below directories; links by where they lead."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for root in roots:
        for place in [root, *sorted(root.rglob("*"))]:
            stat = place.lstat()
            if place.is_symlink():
                content = os.fsencode(os.readlink(place))
            else:
                content = place.read_bytes() if place.is_file() else b""
            found[str(place)] = (stat.st_mode, stat.st_mtime_ns, content)
    return found
