"""A consumer that is too large to be held as a whole: checked in parts, with the same findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.making import CONSUMER, checked, project, write


def test_the_same_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str | bytes] = {f"dock/m{n:02}.py": CONSUMER for n in range(30)}
    files |= {
        "dock/__init__.py": "", "dock/base.py": "import gantry\nclass Base:\n    tool = gantry\n",
        "dock/user.py": "from dock.base import Base\nclass User(Base):\n    def run(self):\n        self.tool.lift(1, slow=True)  # gantry\n",
        "dock/broken.py": "import gantry\ngantry.lift(\n",
    }  # fmt: skip
    arguments = [*project(tmp_path, files), "--no-cache"]
    write(
        tmp_path / "mine",
        {"pyproject.toml": '[project]\nname = "dock"\nversion = "1"\ndependencies = ["gantry<1"]\n'},
    )
    for side, version in (("old", "1"), ("new", "2")):
        write(tmp_path / side, {"pyproject.toml": f'[project]\nname = "gantry"\nversion = "{version}"\n'})
    whole = checked(*arguments)["findings"]
    monkeypatch.setattr("driftcheck.engine.parts.FEW", 3)
    monkeypatch.setattr("driftcheck.engine.parts.MOST", 3 * len(CONSUMER))
    assert checked(*arguments)["findings"] == whole
    assert len(whole) > 60
