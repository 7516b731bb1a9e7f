"""A file that is asked about alone meets the provider as the rest of the consumer leaves it."""

from pathlib import Path

import pytest

from driftcheck.engine.examine import check
from driftcheck.model import Report
from driftcheck.sources import open_tree

PROVIDER = """\
import enum


class State(enum.Enum):
    IDLE = 1


class Crane:
    def lift(self): ...


class Settings:
    speed: int = 1
"""
FILES = {
    "dock/__init__.py": "from dock import patches\n",
    "dock/patches.py": """\
from aenum import extend_enum
from gantry import Crane, State

if not hasattr(State, "WAITING"):
    extend_enum(State, "WAITING", 2)


def lower(self): ...


Crane.lower = lower
setattr(Crane, "swing", lower)
""",
    "dock/settings.py": "from gantry import Settings\n\n\nclass Own(Settings):\n    berth: int = 3\n",
    "dock/work.py": """\
from gantry import Crane, Settings, State


def work(settings: Settings):
    crane = Crane()
    crane.lower()
    crane.swing()
    return State.WAITING, settings.berth, crane.missing()
""",
}


def found(root: Path, asked: str) -> Report:
    for name, text in {"new/gantry.py": PROVIDER, **{f"user/{n}": t for n, t in FILES.items()}}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return check(
        open_tree(str(root / asked), role="consumer"), open_tree(str(root / "new"), role="provider"), None
    )


@pytest.mark.parametrize("asked", ["user", "user/dock/work.py"])
def test_what_other_files_put_there_is_there(tmp_path: Path, asked: str) -> None:
    report = found(tmp_path, asked)
    shown = [(one.line, one.code) for one in report.findings if one.confidence != "possible"]
    assert shown == [(8, "DC103")]
    assert "missing" in report.findings[-1].message


def test_nothing_is_reported_beside_what_was_asked(tmp_path: Path) -> None:
    FILES["dock/other.py"] = "from gantry import nothing\n"
    try:
        assert {one.path for one in found(tmp_path, "user/dock/work.py").findings} == {"dock/work.py"}
    finally:
        del FILES["dock/other.py"]
