"""A provider with several releases in a directory of archives, and consumers of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sources.making import simple_sdist, simple_wheel, write

LIFT = "def lift(load, speed=1):\n    return load\n"
CRANE = "class Crane:\n    def __init__(self, name):\n        self.name = name\n"
LONGER = "class Crane:\n    def __init__(self, name, reach):\n        self.name = name\n        self.reach = reach\n"
OLD_WINCH = (
    "import warnings\n\n\ndef winch():\n"
    '    warnings.warn("winch is deprecated and will be removed in 2.1; use lift", DeprecationWarning)\n'
)

RELEASES = {
    "1.0": LIFT + CRANE + "def winch():\n    pass\n",
    "1.1": LIFT + CRANE + OLD_WINCH,
    # A keyword that lived in one release only.
    "1.2": LIFT.replace("speed=1", "speed=1, slack=0") + CRANE + OLD_WINCH,
    "2.0": LIFT.replace(", speed=1", "") + CRANE + OLD_WINCH,
    "2.1": LIFT + LONGER,
    "2.2b1": LIFT + LONGER,
}

DOCK = (
    "from gantry.hoist import Crane, lift\n\n\n"
    "def load(thing):\n    crane = Crane('north')\n    return lift(thing, speed=2), crane\n"
)


@pytest.fixture
def archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip is told to look, and nowhere else; with an empty cache."""
    place = tmp_path / "archives"
    place.mkdir()
    for version, text in RELEASES.items():
        (place / f"gantry-{version}.tar.gz").write_bytes(simple_sdist("gantry", version, hoist=text))
    for key in list(os.environ):
        if key.startswith("PIP_"):
            monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(place))
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return place


@pytest.fixture
def dock(archives: Path) -> Path:
    """A consumer release that says it works with 1.0 to 2.0."""
    data = simple_wheel("dock", "1.0", ("gantry>=1.0,<=2.0",), loading=DOCK)
    (archives / "dock-1.0-py3-none-any.whl").write_bytes(data)
    return archives


@pytest.fixture
def project(archives: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """``project(text)``: a consumer as a package directory with one module."""

    def make(text: str, name: str = "quay") -> str:
        write(tmp_path / name / name, {"__init__.py": "", "loading.py": text})
        return str(tmp_path / name / name)

    return make
