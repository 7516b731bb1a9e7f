"""Runs a composite action's steps in a shell, as GitHub's runner would."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github" / "actions" / "driftcheck" / "action.yml"


@dataclass
class Job:
    """What lasts from step to step: the workspace, the runner's own directory, and outputs."""

    workspace: Path
    temp: Path
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    log: str = ""

    @property
    def summary(self) -> str:
        page = self.temp / "summary.md"
        return page.read_text() if page.exists() else ""

    def run(self, step_id: str, **inputs: str) -> int:
        """Runs one step; its exit status."""
        action = yaml.safe_load(ACTION.read_text())
        step = next(step for step in action["runs"]["steps"] if step["id"] == step_id)
        assert step["shell"] == "bash"
        given = {name: str(said.get("default", "")) for name, said in action["inputs"].items()}
        unknown = {name.replace("_", "-") for name in inputs} - set(given)
        assert not unknown
        given.update({name.replace("_", "-"): value for name, value in inputs.items()})
        script = self.temp / f"{step_id}.sh"
        script.write_text(step["run"])
        output = self.temp / f"{step_id}.output"
        output.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            env={
                **os.environ,
                "CI": "true",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"),
                "GITHUB_WORKSPACE": str(self.workspace),
                "RUNNER_TEMP": str(self.temp),
                **{name: self._value(text, given) for name, text in step.get("env", {}).items()},
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        self.log = done.stdout + done.stderr
        rows = (row.partition("=") for row in output.read_text().splitlines())
        self.outputs[step_id] = {name: value for name, _, value in rows}
        return done.returncode

    def _value(self, text: str, given: dict[str, str]) -> str:
        """A value with its ``${{ … }}`` expressions evaluated, of the few kinds that the action uses."""

        def evaluate(match: re.Match[str]) -> str:
            parts = match[1].split(".")
            if parts[0] == "inputs":
                return given[parts[1]]
            if parts[:2] == ["github", "action_path"]:
                return str(ACTION.parent)
            assert parts[0] == "steps", parts
            return self.outputs[parts[1]][parts[3]]

        return re.sub(r"\$\{\{\s*([\w.-]+)\s*\}\}", evaluate, text)
