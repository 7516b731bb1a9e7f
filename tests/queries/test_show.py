"""``show`` on small providers: what a grep does not find."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from sources.making import write

from driftcheck.cli.app import app
from driftcheck.queries.show import Shown, show

FILES = {
    "gantry/__init__.py": (
        "_LAZY = {'Crane': 'gantry.machines.crane'}\n\n\n"
        "def __getattr__(name):\n    if name in _LAZY:\n        from importlib import import_module\n"
        "        return getattr(import_module(_LAZY[name]), name)\n    raise AttributeError(name)\n"
    ),
    "gantry/machines/__init__.py": "from gantry.machines.crane import Crane as Crane, Settings\n",
    "gantry/machines/crane.py": (
        "from dataclasses import InitVar, dataclass, field\n\n\n"
        "@dataclass\nclass Settings:\n    name: str\n    side: InitVar[str] = 'north'\n    speed: int | None = None\n"
        "    serial: int = field(init=False, default=0)\n\n"
        "    @property\n    def fast(self) -> bool:\n        return self.speed > 3\n\n\n"
        "class Crane:\n    def __init__(self, settings: Settings):\n        self.settings = settings\n"
        "        if settings.speed is None:\n            settings.speed = 2\n\n"
        "    def lift(self, load):\n        if not load:\n            return None\n        return load\n\n\n"
        "class Tower(Crane):\n    def lift(self, load):\n        if self.settings.speed > 1:\n            return super().lift(load)\n        return load\n"
    ),
    "gantry/yard.py": "from gantry.machines import Crane\n\n\ndef work(crane: Crane):\n    return crane.lift(3)\n",
}


@pytest.fixture
def gantry(tmp_path: Path) -> str:
    return str(write(tmp_path / "tree", FILES) / "gantry")


def shown(gantry: str, symbol: str) -> Shown:
    return show(symbol, gantry)


def test_a_lazy_re_export_leads_to_the_definition(gantry: str) -> None:
    found = shown(gantry, "gantry.Crane")
    assert found.symbol == "gantry.machines.crane.Crane" and found.kind == "class"
    assert found.defined is not None and found.defined.path == "gantry/machines/crane.py"
    assert found.via == ["gantry/__init__.py:1 (lazily, by __getattr__)"]
    assert found.signature == "Crane(settings)"
    assert [place.inside for place in found.overridden_by] == ["gantry.machines.crane.Tower"]


def test_what_none_means_and_who_decides(gantry: str) -> None:
    found = shown(gantry, "gantry.machines.Settings.speed")
    assert (found.kind, found.type, found.default) == ("field", "int | None", "None")
    assert found.settable == "yes, by the constructor as speed=…"
    (resolved,) = found.resolved_by
    assert (resolved.value, resolved.inside) == ("2", "gantry.machines.crane.Crane.__init__")
    assert resolved.conditions == ("settings.speed is None",)
    (reader,) = found.readers
    assert (reader.module, reader.reads, reader.branches) == ("gantry.machines.crane", 3, 2)


def test_fields_that_are_not_what_they_seem(gantry: str) -> None:
    side = shown(gantry, "gantry.machines.Settings.side")
    assert side.kind.startswith("field (InitVar") and side.settable
    serial = shown(gantry, "gantry.machines.Settings.serial")
    assert serial.settable is None and serial.unsettable and "init=False" in serial.unsettable
    fast = shown(gantry, "gantry.machines.Settings.fast")
    assert fast.kind == "property" and fast.unsettable and fast.unsettable.startswith("no: a property")


def test_a_method(gantry: str) -> None:
    found = shown(gantry, "gantry.machines.crane.Crane.lift")
    assert found.signature == "def lift(load)"
    assert [(one.line, one.conditions) for one in found.returns_none] == [(24, ("not load",))]
    assert [place.inside for place in found.overridden_by] == ["gantry.machines.crane.Tower.lift"]
    assert {(place.path, place.value) for place in found.callers} == {
        ("gantry/yard.py", "crane.lift(3)"),
        ("gantry/machines/crane.py", "super().lift(load)"),
    }
    assert shown(gantry, "gantry.machines.crane.Tower.lift").overrides == ["gantry.machines.crane.Crane"]


def test_a_misspelt_and_a_misplaced_name(gantry: str) -> None:
    misspelt = shown(gantry, "gantry.machines.Settings.spede")
    assert not misspelt.found and misspelt.near[0] == "speed"
    misplaced = shown(gantry, "gantry.yard.Tower")
    assert not misplaced.found and misplaced.elsewhere == ["gantry.machines.crane.Tower"]


def test_history_over_releases(archives: Path) -> None:
    found = show("gantry.hoist.Crane", "gantry==2.0", "1.0", "2.1")
    assert [(one.first, one.last) for one in found.history] == [("1.0", "2.0"), ("2.1", "2.1")]
    winch = show("gantry.hoist.winch", "gantry==1.0", "1.0", "2.1").history
    assert winch[-1].shape == "" and winch[-1].first == "2.1"


def test_the_command(gantry: str) -> None:
    good = CliRunner().invoke(app, ["show", "gantry.machines.Settings.speed", "--in", gantry])
    assert good.exit_code == 0 and "None means" in good.output
    bad = CliRunner().invoke(app, ["show", "gantry.machines.Settings.spede", "--in", gantry])
    assert bad.exit_code == 1 and "did you mean" in bad.output
    json = CliRunner().invoke(app, ["show", "gantry.Crane", "--in", gantry, "--output-format", "json"])
    assert '"schema": "driftcheck-show/1"' in json.output


CALLS = {
    "gantry/__init__.py": "",
    "gantry/crane.py": (
        "class Crane:\n    def lift(self, load, *, slow=False): ...\n\n\n"
        "class Winch:\n    def lift(self, rope): ...\n\n\n"
        "def grease(part, *, deep=False): ...\n"
    ),
    "gantry/yard.py": (
        "import gantry.crane\nfrom gantry.crane import Crane, Winch, grease\nfrom gantry import crane as machines\n\n\n"
        "def work(crane: Crane, winch: Winch, other):\n"
        "    crane.lift(1)\n    crane.lift(2, slow=True)\n    crane.lift(3, fast=True)\n"
        "    winch.lift(4)\n    other.lift(5)\n"
        "    grease(6)\n    machines.grease(7)\n    gantry.crane.grease(8, deep=True)\n    other.grease(9)\n"
    ),
    "gantry/shed.py": (
        "def grease(part): ...\n\n\ndef clean():\n    grease(10)\n\n\n"
        "def late():\n    from gantry.crane import Crane, grease as oil\n\n    oil(11)\n    return Crane()\n"
    ),
}


def test_callers_are_those_of_the_symbol(tmp_path: Path) -> None:
    gantry = str(write(tmp_path / "calls", CALLS) / "gantry")
    lift = shown(gantry, "gantry.crane.Crane.lift")
    assert [one.value for one in lift.callers] == ["crane.lift(1)", "crane.lift(2, slow=True)"]
    assert lift.by_name == 3  # one with a keyword that it does not take, two of other objects
    grease = shown(gantry, "gantry.crane.grease")
    assert [one.value for one in grease.callers] == [
        "grease(6)",
        "machines.grease(7)",
        "gantry.crane.grease(8, deep=True)",
    ]
    assert grease.by_name == 2
    assert [one.value for one in shown(gantry, "gantry.crane.Crane").callers] == ["Crane()"]


def test_a_long_type_is_told_whole(tmp_path: Path) -> None:
    kinds = " | ".join(f"list[tuple[int, str, 'Kind{number}']]" for number in range(8))
    files = {"gantry/__init__.py": f"def load(x) -> {kinds}: ...\n"}
    assert shown(str(write(tmp_path / "types", files) / "gantry"), "gantry.load").returns == kinds


def test_subclasses_at_any_depth_and_under_another_name(tmp_path: Path) -> None:
    files = {
        "gantry/__init__.py": "",
        "gantry/crane.py": "class Crane:\n    def lift(self): ...\n",
        "gantry/tower.py": "from gantry.crane import Crane as Base\n\n\nclass Tower(Base):\n    def lift(self): ...\n",
        "gantry/tall.py": "from gantry import tower\n\n\nclass Tall(tower.Tower):\n    def lift(self): ...\n",
        "gantry/other.py": "class Crane: ...\n\n\nclass Low(Crane):\n    def lift(self): ...\n",
    }
    gantry = str(write(tmp_path / "below", files) / "gantry")
    found = shown(gantry, "gantry.crane.Crane")
    assert [one.inside for one in found.overridden_by] == ["gantry.tower.Tower", "gantry.tall.Tall"]
    lift = shown(gantry, "gantry.crane.Crane.lift")
    assert [one.inside for one in lift.overridden_by] == ["gantry.tower.Tower.lift", "gantry.tall.Tall.lift"]
