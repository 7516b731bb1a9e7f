"""Eight processes on one empty cache: each is right, and each archive is fetched once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from hostile.making import CONSUMER, NEW, OLD, write
from sources.making import simple_sdist

PROCESSES = 8


def test_eight_checks(index, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    modules = {f"m{number}": f"x = {number}\n" * 200 for number in range(50)}
    for version, text in (("1.0", OLD), ("2.0", NEW)):
        index.add(f"gantry-{version}.tar.gz", simple_sdist("gantry", version, core=text, **modules))
    write(
        tmp_path / "mine",
        {"dock/__init__.py": CONSUMER.replace("import gantry", "from gantry import core as gantry")},
    )
    words = [
        sys.executable,
        "-m",
        "driftcheck.cli",
        "check",
        str(tmp_path / "mine"),
        "--against",
        "gantry==2.0",
    ]
    words += ["--known-good", "1.0", "--output-format", "json"]
    running = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    outputs = []
    for process in running:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 1, err
        outputs.append(out)
    assert len(set(outputs)) == 1
    assert "DC201" in [one["code"] for one in json.loads(outputs[0])["findings"]]
    for version in ("1.0", "2.0"):
        assert index.count(f"/files/gantry-{version}") == 1
    left = [
        place.name
        for place in (tmp_path / "cache").rglob("*")
        if place.name.startswith(".tmp-") or place.suffix == ".part"
    ]
    assert not left
