"""What the tests of a lint step share."""

from pathlib import Path

import pytest
from lint.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project in a directory of its own, which is the current one; with a cache of its own."""
    monkeypatch.setenv("DRIFTCHECK_CACHE_DIR", str(tmp_path / "cache"))
    found = Project(tmp_path / "project")
    monkeypatch.chdir(found.root)
    return found
