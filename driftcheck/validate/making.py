"""Makes an environment with a provider in it, by pip or uv."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from driftcheck.validate.errors import ValidateError

_NEEDED_GIB = 12
_REASON = 400  # characters of an installer's own words


def make_environment(
    provider: str,
    into: Path,
    python: Path | None,
    extra: Sequence[str],
    without: Sequence[str],
    tool: str,
    tell: Callable[[str], None],
) -> Path:
    """The interpreter of a new environment at ``into`` that has the provider and ``extra``.

    ``without`` names requirements of the provider that are left out, with what only they require. An
    environment that was begun here before is gone on with. Raises ValidateError.
    """
    if not re.match(r"[A-Za-z0-9]", provider):
        raise ValidateError(f"{provider}: a requirement is wanted, as in name==X")
    interpreter = into / "bin" / "python"
    base = python or Path(sys.executable)
    chosen = _tool(tool)
    if into.exists() and any(into.iterdir()) and not (into / "pyvenv.cfg").exists():
        raise ValidateError(f"{into} is not empty and no environment")
    _space(into, tell)
    if not interpreter.exists():
        tell(f"making {into} with {chosen}")
        _run(
            [chosen, "venv", "--python", str(base), str(into)]
            if chosen == "uv"
            else [str(base), "-m", "venv", str(into)]
        )
    install = (
        # Attempts write no bytecode, so what is not compiled now is compiled in every one of them.
        ["uv", "pip", "install", "--compile-bytecode", "--python", str(interpreter)]
        if chosen == "uv"
        else [
            str(interpreter),
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--progress-bar",
            "off",
            "-q",
        ]
    )
    if not without:
        tell(f"installing {' '.join([provider, *extra])}")
        _run([*install, provider, *extra])
        return interpreter
    tell(f"installing {provider} itself")
    _run([*install, "--no-deps", provider])
    left_out = {_name(one) for one in without}
    requirements = [line for line in _requirements(provider, interpreter) if _name(line) not in left_out]
    tell(f"installing {len(requirements)} of its requirements")
    _run([*install, *requirements, *extra])
    return interpreter


def _tool(wanted: str) -> str:
    if wanted == "uv" and shutil.which("uv") is None:
        raise ValidateError("uv is not installed; --tool pip does without")
    return "uv" if wanted == "uv" or (wanted == "auto" and shutil.which("uv")) else "pip"


def _space(into: Path, tell: Callable[[str], None]) -> None:
    place = into if into.exists() else into.absolute().parent
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free >> 30
    if free < _NEEDED_GIB:
        tell(f"only {free} GiB are free; a provider with its own torch may take {_NEEDED_GIB}")


def _requirements(provider: str, interpreter: Path) -> list[str]:
    """What the installed provider's metadata requires in this environment."""
    from packaging.requirements import Requirement

    code = (
        "import importlib.metadata as m, json, platform, sys\n"
        "print(json.dumps([m.requires(sys.argv[1]) or [], platform.python_version()]))"
    )
    command = [str(interpreter), "-I", "-c", code, _name(provider)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValidateError(f"the new interpreter does not run: {done.stderr.strip()[-200:]}")
    lines, version = json.loads(done.stdout)
    markers = {
        "python_version": ".".join(version.split(".")[:2]),
        "python_full_version": version,
        "extra": "",
    }
    found = []
    for line in lines:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate(markers):
            requirement.marker = None
            found.append(str(requirement))
    return found


def _name(requirement: str) -> str:
    match = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
    return re.sub(r"[-_.]+", "-", match.group(1)).lower() if match else ""


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        tool = "pip" if command[1:3] == ["-m", "pip"] else Path(command[0]).name
        raise ValidateError(f"{tool} failed: {_reason(done.stderr) or done.returncode}")


def _reason(output: str) -> str:
    """What an installer says went wrong, in one line; it says so first, and at the end where to read more."""
    lines = [" ".join(line.split()) for line in output.splitlines() if line.strip()]
    at = next((n for n, line in enumerate(lines) if line.lower().startswith("error")), len(lines) - 1)
    told = [line for line in lines[max(at, 0) :] if "for help visit" not in line]
    return " ".join(told)[:_REASON]
