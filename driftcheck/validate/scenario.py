"""Scenarios: rules/<library>/scenarios/*.toml, each with a Python driver beside it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from driftcheck.rulesdb import RulesError, rules_roots
from driftcheck.rulesdb.libraries import load_toml
from driftcheck.validate.errors import ValidateError
from driftcheck.validate.portable.plan import Bound, Device, Drive, Provider, Shim, Step


class _Strict(msgspec.Struct, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    pass


class StepEntry(_Strict):
    """One thing the driver does; ``limits`` marks what goes beyond ordinary use."""

    name: str
    about: str = ""
    group: Literal["core", "limits"] = "core"


class BoundEntry(_Strict):
    """The largest error that counts as equal. A bound without a reason is refused."""

    value: float
    reason: str


class ShimEntry(_Strict):
    """A change to the surroundings that the driver makes where the device is one of these (none: any)."""

    name: str
    reason: str
    devices: list[str] = []


class DeviceEntry(_Strict):
    """What a run needs on one kind of device.

    A variable may hold ``{scratch}`` and ``{shared}`` (directories) and parameters; an empty one is not set.
    ``gpus`` is a number or a parameter in braces.
    """

    memory_gib: float = 0.0
    gpus: str = "1"
    variables: dict[str, str] = {}


class ProviderEntry(_Strict):
    """What to import, and which distributions may bring it."""

    module: str
    distributions: list[str]


class Scenario(_Strict):
    """A scenario file. ``sanity`` names another that must pass before anything here counts.

    ``choices`` lists the values that a parameter may have; one without may have any.
    """

    name: str
    title: str
    driver: str
    provider: ProviderEntry
    devices: dict[str, DeviceEntry]
    steps: list[StepEntry] = []
    sanity: str | None = None
    needs_consumer: bool = True
    bounds: dict[str, BoundEntry] = {}
    shims: list[ShimEntry] = []
    parameters: dict[str, str] = {}
    choices: dict[str, list[str]] = {}
    seconds: float = 300.0
    memory_gib: float = 16.0
    record: list[str] = []
    path: Path | None = None

    def set(self, setting: str) -> None:
        """Changes a parameter by ``NAME=VALUE``; ``_`` and ``-`` in the name are the same.

        Raises ValidateError where the scenario declares no such parameter, or not that value for it.
        """
        name, equals, value = setting.partition("=")
        name = name.strip().replace("_", "-")
        if not equals or name not in self.parameters:
            known = ", ".join(sorted(self.parameters)) or "none"
            raise ValidateError(f"--set {setting}: NAME=VALUE is wanted; the scenario's parameters: {known}")
        allowed = self.choices.get(name)
        if allowed is not None and value not in allowed:
            shown = ", ".join(one or "nothing" for one in allowed)
            raise ValidateError(f"--set {setting}: {self.name} takes {shown} for {name}")
        self.parameters[name] = value

    @property
    def directory(self) -> Path:
        """Where the driver and what it imports lie."""
        assert self.path is not None
        return self.path.parent

    def drive(self) -> Drive:
        """The scenario as the plan carries it."""
        return Drive(
            name=self.name,
            title=self.title,
            driver=self.driver,
            steps=[Step(one.name, one.about, one.group) for one in self.steps],
            needs_consumer=self.needs_consumer,
            bounds={name: Bound(one.value, one.reason) for name, one in self.bounds.items()},
            shims=[Shim(one.name, one.reason, one.devices) for one in self.shims],
            devices={
                name: Device(one.memory_gib, one.gpus, one.variables) for name, one in self.devices.items()
            },
            parameters=self.parameters,
            seconds=self.seconds,
            memory_gib=self.memory_gib,
            record=self.record,
        )

    def provided(self, version: str | None) -> Provider:
        """The provider as the plan carries it."""
        return Provider(self.provider.module, self.provider.distributions, version)


def load_scenario(path: Path) -> Scenario:
    """The scenario in a file.

    Raises RulesError naming the file and the key where it is not one, and where its driver is missing.
    """
    loaded = load_toml(path, Scenario)
    if loaded.path is not None:
        raise RulesError.at(path, None, "a scenario's path is where it lies; remove the key")
    if Path(loaded.driver).name != loaded.driver or not (path.parent / loaded.driver).is_file():
        raise RulesError.at(path, None, f"driver {loaded.driver!r}: no such file beside the scenario")
    names = [step.name for step in loaded.steps]
    if len(set(names)) != len(names):
        raise RulesError.at(path, None, "two steps have the same name")
    for name, allowed in loaded.choices.items():
        if loaded.parameters.get(name) not in allowed:
            raise RulesError.at(path, None, f"choices: {name} is no parameter with one of these values")
    if not loaded.devices:
        raise RulesError.at(path, None, "devices: at least one is needed")
    loaded.path = path
    return loaded


def scenario_files(user: Iterable[Path] = ()) -> list[Path]:
    """Every scenario file of driftcheck's rules and of the user's directories."""
    return [path for root in rules_roots(user) for path in sorted(root.glob("*/scenarios/*.toml"))]


def find_scenario(name: str, user: Iterable[Path] = ()) -> Scenario:
    """The scenario of that name, or in that file.

    Raises ValidateError where there is none, RulesError where its file is bad.
    """
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise ValidateError(f"no scenario file {name}")
        return load_scenario(path)
    found = {path.stem: path for path in scenario_files(user)}
    if name not in found:
        near = difflib.get_close_matches(name, found, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(found) or 'none'}"
        raise ValidateError(f"no scenario {name!r}; {hint}")
    return load_scenario(found[name])


def find_sanity(scenario: Scenario, user: Iterable[Path] = ()) -> Scenario | None:
    """The scenario that must pass first: beside this one, or by its name among all."""
    if scenario.sanity is None:
        return None
    beside = scenario.directory / f"{scenario.sanity}.toml"
    found = load_scenario(beside) if beside.is_file() else find_scenario(scenario.sanity, user)
    if found.directory != scenario.directory:
        raise ValidateError(
            f"{scenario.name}: {found.name} must lie beside it, since they are packed together"
        )
    return found
