"""What the environment under test is, and whether it can be used for a plan at all."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .plan import Drive, Plan


class EnvironmentProblem(Exception):
    """The environment cannot show anything about the plan; the message says why."""


@dataclass
class Surroundings:
    """What was found in an environment. ``roots`` are paths of this machine and never reach a result."""

    python: str
    platform: str
    provider: str
    provider_version: str | None
    distributions: dict[str, str] = field(default_factory=dict)
    conflicts: list[dict[str, str]] = field(default_factory=list)
    gpu: dict[str, object] | None = None
    roots: dict[str, str] = field(default_factory=dict)
    provider_root: str = ""
    stdlib: str = ""
    sites: list[str] = field(default_factory=list)

    def for_result(self) -> dict[str, object]:
        """The part that belongs into a result."""
        found: dict[str, object] = {
            "python": self.python,
            "platform": self.platform,
            "provider": {"distribution": self.provider, "version": self.provider_version},
            "distributions": self.distributions,
            "conflicts": self.conflicts,
        }
        if self.gpu is not None:
            found["gpu"] = self.gpu
        return found


def survey(python: Path, plan: Plan, device: str, version: str | None, scratch: Path) -> Surroundings:
    """Asks the interpreter what is installed, and checks that against what the plan needs.

    Raises EnvironmentProblem where the interpreter does not run, the provider is missing or of another
    version than ``version``, or the GPU is missing or too small.
    """
    answer = _ask(python, plan, device, scratch)
    provider = answer["provider"]
    if provider is None:
        raise EnvironmentProblem(f"{plan.provider.module} is not installed in this environment")
    found = Surroundings(
        python=f"{answer['implementation']} {answer['python']}",
        platform=answer["platform"],
        provider=provider["distribution"] or plan.provider.module,
        provider_version=provider["version"],
        distributions=answer["distributions"],
        conflicts=answer["conflicts"],
        gpu=answer.get("gpu"),
        roots={
            os.path.dirname(provider["root"]): "provider",
            **dict.fromkeys(answer["sites"], "site"),
            answer["stdlib"]: "stdlib",
            answer["prefix"]: "environment",
            answer["base_prefix"]: "python",
        },
        provider_root=os.path.abspath(provider["root"]),
        stdlib=os.path.abspath(answer["stdlib"]),
        sites=[os.path.abspath(site) for site in answer["sites"]],
    )
    _check_version(found, version)
    for drive in (plan.scenario, plan.sanity):
        if drive is not None:
            _check_device(found, drive, device)
    return found


def _ask(python: Path, plan: Plan, device: str, scratch: Path) -> dict:  # type: ignore[type-arg]
    record = {
        *plan.scenario.record,
        *(plan.sanity.record if plan.sanity else ()),
        *plan.provider.distributions,
    }
    job = {
        "module": plan.provider.module,
        "distributions": plan.provider.distributions,
        "record": sorted(record),
        "requires": plan.consumer.requires,
        "device": device,
    }
    script = scratch / "probe.py"
    try:
        done = subprocess.run(
            [str(python), str(script)],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=180,
            cwd=scratch,
            env=clean_environment(os.environ),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentProblem(f"the interpreter does not run: {type(error).__name__}") from error
    start = done.stdout.find("{")
    if done.returncode or start < 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise EnvironmentProblem(f"the interpreter does not run (status {done.returncode}): {last}")
    answer: dict = json.loads(done.stdout[start:])  # type: ignore[type-arg]
    return answer


def clean_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables a run gets: those of the caller, less what would change how Python itself works.

    Entries of PYTHONPATH become absolute, since a run has a working directory of its own.
    """
    dropped = {"PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONOPTIMIZE", "PYTHONWARNINGS"}
    kept = {name: value for name, value in variables.items() if name not in dropped}
    if kept.get("PYTHONPATH"):
        entries = kept["PYTHONPATH"].split(os.pathsep)
        kept["PYTHONPATH"] = os.pathsep.join(os.path.abspath(entry) for entry in entries if entry)
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"}


def _check_version(found: Surroundings, wanted: str | None) -> None:
    if wanted is None:
        return
    if found.provider_version is None:
        raise EnvironmentProblem(f"no version of {found.provider} can be read, {wanted} is wanted")
    if public_version(found.provider_version) != public_version(wanted):
        raise EnvironmentProblem(
            f"{found.provider} {found.provider_version} is installed, the findings are about {wanted}"
        )


def public_version(version: str) -> str:
    """A version without its local part (``+cpu``) and trailing zeros."""
    parts = version.strip().lower().partition("+")[0].lstrip("v").split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts)


def _check_device(found: Surroundings, drive: Drive, device: str) -> None:
    if device not in drive.devices:
        known = ", ".join(sorted(drive.devices)) or "none"
        raise EnvironmentProblem(f"scenario {drive.name} does not run on {device} (it runs on: {known})")
    if device == "cpu":
        return
    gpu = found.gpu or {}
    if not gpu.get("available"):
        raise EnvironmentProblem(f"no GPU can be used: {gpu.get('problem', 'none found')}")
    wanted, count = drive.filled(drive.devices[device].gpus), gpu.get("count")
    if isinstance(count, int) and wanted.isdecimal() and count < int(wanted):
        raise EnvironmentProblem(f"scenario {drive.name} needs {wanted} GPUs, there {_are(count)}")
    needed, there = drive.devices[device].memory_gib, gpu.get("memory_gib")
    if isinstance(there, (int, float)) and there < needed:
        raise EnvironmentProblem(f"the GPU has {there} GiB of memory, scenario {drive.name} needs {needed:g}")


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"
