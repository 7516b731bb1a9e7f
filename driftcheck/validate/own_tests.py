"""A user's own tests as a scenario."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from driftcheck.model import Report
from driftcheck.validate.scenario import DeviceEntry, ProviderEntry, Scenario

_DIRECTORY = Path(__file__).parent / "own_tests_driver"


def own_tests_scenario(report: Report, module: str | None, arguments: Sequence[str]) -> Scenario:
    """The scenario that hands the arguments to pytest, in the directory where the command was given.

    The provider's distribution is that of the report's target, imported as ``module`` or else by its name.
    """
    name = report.target.spec.partition("==")[0].partition("@")[0].strip()
    if "/" in name or name.startswith("."):
        name = module or Path(name).name
    scenario = Scenario(
        name="pytest",
        title=f"pytest {' '.join(arguments)}".strip(),
        driver="own_tests.py",
        provider=ProviderEntry(module=module or name.replace("-", "_"), distributions=[name]),
        devices={"cpu": DeviceEntry(), "cuda": DeviceEntry()},
        parameters={"arguments": json.dumps(list(arguments))},
        record=["pytest"],
        seconds=1800.0,
    )
    scenario.path = _DIRECTORY / "own_tests.toml"
    return scenario
