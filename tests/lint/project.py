"""A small project on disk: two versions of gantry, and dock, which uses it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from driftcheck.cli import main

OLD = "def lift(load, fast=True): ...\ndef lower(load): ...\n"
NEW = "def lift(load): ...\n"
USER = 'from gantry import lift\n\n\ndef work():\n    lift("crate", fast=True)\n'


class Project:
    """Files below a directory, and runs of the command in this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.old = self.package("old/gantry", OLD)
        self.new = self.package("new/gantry", NEW)
        self.write("pyproject.toml", '[project]\nname = "dock"\nversion = "1"\n')
        self.user = self.write("src/dock/__init__.py", USER)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def package(self, name: str, text: str) -> Path:
        """A package directory; beside it, metadata-free, as an unpacked release is."""
        self.write(f"{name}/__init__.py", text)
        return self.root / name

    def configure(self, text: str) -> None:
        self.write("pyproject.toml", f'[project]\nname = "dock"\nversion = "1"\n{text}')

    def arguments(self, *more: str) -> list[str]:
        pair = ["--against", str(self.new), "--known-good", str(self.old)]
        return ["check", str(self.root), *pair, *more]

    def check(self, *more: str) -> int:
        return main(self.arguments(*more))

    def report(self, *more: str) -> dict[str, Any]:
        """The JSON report of a check."""
        file = self.root.parent / "report.json"
        status = main(self.arguments(*more, "--output-format", "json", "--output-file", str(file)))
        assert status in (0, 1), status
        found: dict[str, Any] = json.loads(file.read_text())
        return found

    def found(self, *more: str) -> list[tuple[str, str, int]]:
        """Code, path and line of every finding."""
        return [(one["code"], one["path"], one["line"]) for one in self.report(*more)["findings"]]

    def git(self, *arguments: str) -> str:
        """Runs git in the project, with an identity of its own and no configuration of this machine."""
        environment = {
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "HOME": str(self.root),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD").strip()
