"""Repairs that rest on a name known to stand in another's place: keywords, members, strings, modules, variables."""

import pytest
from making import Pair, one_module


def only_fix(pair: Pair):
    found = [one for one in pair.findings() if one.confidence != "possible"]
    assert len(found) == 1, [(one.code, one.message) for one in found]
    return found[0].fix


def test_a_keyword_that_has_another_name() -> None:
    old = "def lift(load, block_size=1):\n    return load * block_size\n"
    pair = one_module(
        old, old.replace("block_size", "block_sizes"), "from gantry import lift\n\nlift(1, block_size=2)\n"
    )
    assert pair.findings()[0].code == "DC206"
    assert pair.fixed().endswith("lift(1, block_sizes=2)\n")
    assert only_fix(pair).applicability == "unsafe"


def test_a_keyword_of_another_name_for_both_versions() -> None:
    old = "def lift(load, block_size=1):\n    return load * block_size\n"
    pair = one_module(
        old,
        old.replace("block_size", "block_sizes"),
        "from gantry import lift\n\nlift(1, block_size=2)\n",
        "shim",
    )
    done = pair.fixed().encode()
    for release in (pair.old, pair.new):
        assert pair.findings({"dock/__init__.py": done}, release) == []


def test_a_keyword_that_became_positional_is_passed_so() -> None:
    pair = one_module(
        "def lift(load, speed):\n    return speed\n",
        "def lift(load, speed, /):\n    return speed\n",
        "from gantry import lift\n\nlift(1, speed=2)\n",
    )
    assert pair.fixed().endswith("lift(1, 2)\n")


def test_a_renamed_member() -> None:
    old = 'from enum import Enum\n\n\nclass Mode(Enum):\n    FAST = "quick"\n    SLOW = "slow"\n'
    pair = one_module(
        old,
        old.replace("FAST", "RAPID"),
        "from gantry import Mode\n\nmode = Mode.FAST\nother = Mode['FAST']\n",
    )
    assert pair.fixed().endswith("mode = Mode.RAPID\nother = Mode['RAPID']\n")


def test_a_module_and_its_chains() -> None:
    old = {
        "gantry/__init__.py": "",
        "gantry/rigging.py": "def splice():\n    return 1\n\n\ndef unreel():\n    return 2\n",
    }
    new = {
        "gantry/__init__.py": "",
        "gantry/ropes/__init__.py": "",
        "gantry/ropes/rigging.py": old["gantry/rigging.py"],
    }
    consumer = "import gantry.rigging\n\ngantry.rigging.splice()  # gantry.rigging\nprint('gantry.rigging', gantry.rigging.unreel())\n"
    pair = Pair(old, new, {"dock/__init__.py": consumer})
    assert pair.fixed() == (
        "import gantry.ropes.rigging\n\ngantry.ropes.rigging.splice()  # gantry.rigging\n"
        "print('gantry.rigging', gantry.ropes.rigging.unreel())\n"
    )


def test_a_module_under_another_name() -> None:
    old = {
        "gantry/__init__.py": "",
        "gantry/rigging.py": "def splice():\n    return 1\n\n\ndef unreel():\n    return 2\n",
    }
    new = {
        "gantry/__init__.py": "",
        "gantry/ropes/__init__.py": "",
        "gantry/ropes/rigging.py": old["gantry/rigging.py"],
    }
    pair = Pair(old, new, {"dock/__init__.py": "import gantry.rigging as r\n\nr.splice()\n"})
    assert pair.fixed() == "import gantry.ropes.rigging as r\n\nr.splice()\n"


def test_a_replacement_hands_on_what_it_takes() -> None:
    old = "class Crane:\n    def run(self):\n        return self.lift(1)\n\n    def lift(self, load):\n        return load\n"
    new = old.replace("self.lift(1)", "self.lift(1, height=2)").replace(
        "self, load):", "self, load, height=1):"
    )
    consumer = (
        "from gantry import Crane\n\n_lift = Crane.lift\n\n\ndef quiet(self, load):\n"
        "    return _lift(self, load)\n\n\nCrane.lift = quiet\n"
    )
    pair = one_module(old, new, consumer)
    assert "def quiet(self, load, height=1):\n    return _lift(self, load, height=height)\n" in pair.fixed()


def test_a_result_with_more_parts() -> None:
    old = "def measure(load) -> tuple[int, int]:\n    return load, 1\n"
    new = "def measure(load) -> tuple[int, int, str]:\n    return load, 1, ''\n"
    pair = one_module(old, new, "from gantry import measure\n\nweight, count = measure(1)  # both\n")
    assert pair.fixed().endswith("weight, count, _ = measure(1)  # both\n")


def test_a_result_that_is_the_element_for_both_versions() -> None:
    old = "def measure(load) -> list[int]:\n    return [load]\n"
    new = "def measure(load) -> int:\n    return load\n"
    consumer = "from gantry import measure\n\nanswer = measure(1)\none = answer[0]\n"
    assert one_module(old, new, consumer).fixed().endswith("one = answer\n")
    pair = one_module(old, new, consumer, "shim")
    done = pair.fixed()
    assert done.endswith("one = (answer[0] if isinstance(answer, list) else answer)\n")
    for release in (pair.old, pair.new):
        assert pair.findings({"dock/__init__.py": done.encode()}, release) == []


def released(text: str, version: str) -> str:
    """A module that says its version, as a gate asks for it."""
    return f'__version__ = "{version}"\n\n\n{text}'


RENAMED = "def lift(load, block_size=1):\n    return load * block_size\n"


def gated(consumer: str) -> str:
    """A consumer without imports at its top after a keyword got another name, for both versions."""
    new = released(RENAMED.replace("block_size", "block_sizes"), "2")
    pair = one_module(released(RENAMED, "1"), new, consumer, "gate")
    done = pair.repaired()
    assert done.rolled_back == [], [one.reason for one in done.rolled_back]
    return pair.fixed()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"""Loads."""\n', '"""Loads."""\n{}'),
        (
            '"""Loads."""\nfrom __future__ import annotations\n',
            '"""Loads."""\nfrom __future__ import annotations\n{}',
        ),
        ("# Loads.\n", "# Loads.\n{}"),
        ("@staticmethod\n", "{}@staticmethod\n"),
        ("@staticmethod\n@staticmethod\n", "{}@staticmethod\n@staticmethod\n"),
    ],
)
def test_what_a_gate_needs_is_imported_at_the_top(before: str, after: str) -> None:
    work = "def work():\n    from gantry import lift\n\n    return lift(1, block_size=2)\n"
    needed = "import gantry\nfrom packaging.version import Version\n"
    assert gated(before + work).startswith(after.format(needed) + "def work():\n")


HELD = "class Crane:\n    def lift(self, load):\n        return load\n"
HOLDS = """class Crane:
    def __init__(self):
        self.held = None

    def lift(self, load):
        if self.held is not None:
            raise RuntimeError("lower first")
        self.held = load

    def lower(self, place: {}):
        self.held = None
"""
TWICE = "from gantry import Crane\n\ncrane = Crane()\nfor number in range(3):\n    crane.lift(number)\n"


def test_a_second_step_behind_a_gate() -> None:
    new = released(HOLDS.format("str | None"), "2")
    pair = one_module(released(HELD, "1"), new, TWICE, "gate")
    assert pair.fixed() == (
        "import gantry\nfrom gantry import Crane\nfrom packaging.version import Version\n\ncrane = Crane()\n"
        "for number in range(3):\n    crane.lift(number)\n"
        '    if Version(gantry.__version__) >= Version("2"):\n        crane.lower(None)\n'
    )


def test_a_second_step_whose_argument_nothing_shows() -> None:
    pair = one_module(HELD, HOLDS.format("Place"), TWICE)
    fix = only_fix(pair)
    assert fix.applicability == "display"
    assert "the value of place is for a person to choose" in fix.description
    assert pair.fixed() == TWICE


def test_a_string_that_names_what_moved() -> None:
    rigging = "def splice():\n    return 1\n"
    pair = Pair(
        {"gantry/__init__.py": "", "gantry/rigging.py": rigging},
        {"gantry/__init__.py": "", "gantry/ropes/__init__.py": "", "gantry/ropes/rigging.py": rigging},
        {"dock/__init__.py": "import importlib\n\nr = importlib.import_module('gantry.rigging')  # r\n"},
    )
    assert pair.fixed() == "import importlib\n\nr = importlib.import_module('gantry.ropes.rigging')  # r\n"


def test_a_string_in_pieces_stays_as_it_is() -> None:
    rigging = "def splice():\n    return 1\n"
    consumer = "import importlib\n\nr = importlib.import_module('gantry.' 'rigging')\n"
    pair = Pair(
        {"gantry/__init__.py": "", "gantry/rigging.py": rigging},
        {"gantry/__init__.py": "", "gantry/ropes/__init__.py": "", "gantry/ropes/rigging.py": rigging},
        {"dock/__init__.py": consumer},
    )
    assert [one.code for one in pair.findings()] == ["DC105"]
    assert pair.fixed() == consumer


@pytest.mark.parametrize(
    ("old", "new", "passed"),
    [
        ("int = 4", "int = 8", "limit=4: its default in 1"),
        ("str = 'a'", "str = 'b'", "limit='a': its default in 1"),
        ("int | None = None", "int | None = 8", "limit=None: its default in 1"),
        (
            "bool | None = None",
            "bool = True",
            "limit=False: 1 read its default None as false, and 2 takes no None",
        ),
    ],
)
def test_the_old_default_is_passed(old: str, new: str, passed: str) -> None:
    config = "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    limit: {}\n"
    pair = one_module(config.format(old), config.format(new), "from gantry import Config\n\nConfig()\n")
    (found,) = pair.findings()
    assert found.code == "DC406" and found.fix is not None
    assert found.fix.description == f"pass {passed}"
    assert [edit.text for edit in found.fix.edits] == [passed.partition(":")[0]]


def test_an_old_default_that_the_new_type_refuses_is_not_passed() -> None:
    config = "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    limit: {}\n"
    pair = one_module(
        config.format("int | None = None"),
        config.format("int = 8"),
        "from gantry import Config\n\nConfig()\n",
    )
    assert [(one.code, one.fix) for one in pair.findings()] == [("DC406", None)]
