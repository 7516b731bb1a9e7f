"""Every input that once made a reader fail, and the well-formed ones that fuzzing begins from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from seeds import SEEDS  # noqa: E402
from targets import TARGETS  # noqa: E402

FOUND = sorted((HERE / "found").glob("*/*"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", sorted(TARGETS))
def test_well_formed_inputs(target: str) -> None:
    for data in SEEDS[target]():
        TARGETS[target](data)


@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\xff\xfe", b"\n", b"[" * 5000, b"(" * 10_000, b"{" * 5000, b"- " * 2000]
)
def test_nonsense(target: str, data: bytes) -> None:
    TARGETS[target](data)
