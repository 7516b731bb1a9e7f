"""Each kind of repair on small packages: what it writes, how sure it says it is, and that it helps."""

import ast

import pytest
from making import Pair, one_module

from driftcheck.model import Finding

SURE = ("safe",)


def only(pair: Pair) -> Finding:
    """The pair's one finding."""
    found = [one for one in pair.findings() if one.confidence != "possible"]
    assert len(found) == 1, [(one.code, one.message) for one in found]
    return found[0]


def grade(pair: Pair) -> str | None:
    fix = only(pair).fix
    return fix.applicability if fix is not None else None


LIFT = "def lift(load, limit=3):\n    return load + limit\n"


def test_a_keyword_that_was_used_is_dropped_unsafely() -> None:
    pair = one_module(
        LIFT, "def lift(load):\n    return load\n", "from gantry import lift\n\nlift(1, limit=3 + 1)\n"
    )
    assert grade(pair) == "unsafe"
    assert pair.fixed("safe").endswith("lift(1, limit=3 + 1)\n")
    assert pair.fixed().endswith("lift(1)\n")


def test_a_keyword_that_repeats_the_default_is_dropped_safely() -> None:
    pair = one_module(
        LIFT, "def lift(load):\n    return load\n", "from gantry import lift\n\nlift(1, limit=3)\n"
    )
    assert grade(pair) == "safe"
    assert pair.fixed("safe").endswith("lift(1)\n")


def test_a_keyword_that_nothing_read_is_dropped_safely() -> None:
    old = "def lift(load, limit):\n    return load\n"
    pair = one_module(
        old, "def lift(load):\n    return load\n", "from gantry import lift\n\nlift(1, limit=9)\n"
    )
    assert grade(pair) == "safe"


def test_a_stub_reads_nothing_and_proves_nothing() -> None:
    old = "class Crane:\n    def lift(self, load, limit):\n        raise NotImplementedError\n"
    new = "class Crane:\n    def lift(self, load):\n        raise NotImplementedError\n"
    pair = one_module(old, new, "from gantry import Crane\n\nCrane().lift(1, limit=9)\n")
    assert grade(pair) == "unsafe"


def test_an_argument_with_effects_makes_dropping_unsafe() -> None:
    old = "def lift(load, limit):\n    return load\n"
    pair = one_module(
        old, "def lift(load):\n    return load\n", "from gantry import lift\n\nlift(1, limit=print())\n"
    )
    fix = only(pair).fix
    assert fix is not None and fix.applicability == "unsafe"
    assert "print() is no longer evaluated" in fix.description


def test_without_known_good_nothing_is_safe() -> None:
    pair = one_module(
        LIFT, "def lift(load):\n    return load\n", "from gantry import lift\n\nlift(1, limit=3)\n"
    )
    from driftcheck.engine import check

    found = check(pair.consumer, pair.new, None).findings
    assert [one.fix.applicability for one in found if one.fix] == ["unsafe"]


def test_two_findings_of_one_call_become_one_edit() -> None:
    old = "def lift(load, limit=3, unit='t'):\n    return load\n"
    new = "def lift(load, speed):\n    return load\n"
    pair = one_module(old, new, "from gantry import lift\n\nlift(1, limit=3, unit='t')\n")
    fixes = [one.fix for one in pair.findings() if one.code == "DC201"]
    assert len(fixes) == 2 and fixes[0] == fixes[1]


def test_a_default_that_was_lost_is_passed() -> None:
    pair = one_module(
        "def lift(load, speed=2):\n    return load\n",
        "def lift(load, speed):\n    return load\n",
        "from gantry import lift\n\nlift(1)\n",
    )
    assert grade(pair) == "safe"
    assert pair.fixed("safe").endswith("lift(1, speed=2)\n")


FACTORY = """
class Plan:
    def __init__(self, steps, nested):
        self.steps = steps

    @classmethod
    def default(cls, **given):
        given.setdefault("nested", False)
        return cls(**given)
"""


def test_what_the_providers_own_factory_supplies() -> None:
    old = "class Plan:\n    def __init__(self, steps):\n        self.steps = steps\n"
    pair = one_module(old, FACTORY, "from gantry import Plan\n\nPlan(steps=1)\n")
    fix = only(pair).fix
    assert fix is not None and fix.applicability == "safe"
    assert "what Plan.default() supplies" in fix.description
    assert pair.fixed("safe").endswith("Plan(steps=1, nested=False)\n")


CONFIG = """
from dataclasses import dataclass, field


@dataclass
class Cache:
    block_size: int = 16


@dataclass
class Config:
    cache: Cache = field(default_factory=Cache)


class Scheduler:
    def __init__(self, config: Config{more}) -> None:
        self.config = config
        self.cache = config.cache
        self.block_size = {value}
"""
READS = "self.cache.block_size"
DOCK = """
from gantry import Config, Scheduler


class Dock:
    def __init__(self) -> None:
        self.config = Config()
        self.scheduler = Scheduler(
            config=self.config,
        )
"""


def test_where_known_good_took_it_from_itself() -> None:
    pair = one_module(
        CONFIG.format(more="", value=READS), CONFIG.format(more=", block_size: int", value="block_size"), DOCK
    )
    fix = only(pair).fix
    assert fix is not None and fix.applicability == "safe", fix
    assert "            block_size=self.config.cache.block_size,\n" in pair.fixed("safe")


def test_an_attribute_that_known_good_did_not_read_is_chosen_by_name() -> None:
    pair = one_module(
        CONFIG.format(more="", value="1"), CONFIG.format(more=", block_size: int", value="block_size"), DOCK
    )
    assert grade(pair) == "unsafe"
    assert "block_size=self.config.cache.block_size" in pair.fixed()


def test_an_attribute_of_another_type_is_not_taken() -> None:
    new = CONFIG.format(more=", block_size: str", value="block_size")
    pair = one_module(CONFIG.format(more="", value=READS), new, DOCK)
    assert grade(pair) == "display"


def test_the_constant_passed_by_that_name_in_the_same_class() -> None:
    old = "class Cache:\n    def __init__(self, size):\n        self.kept = size\n\n\nclass Pump:\n    def __init__(self):\n        pass\n"
    consumer = (
        "from gantry import Cache, Pump\n\nSIZE = 16\n\n\nclass Dock:\n    def __init__(self):\n"
        "        self.cache = Cache(size=SIZE)\n        self.pump = Pump()\n"
    )
    pair = one_module(old, old.replace("def __init__(self):", "def __init__(self, size):"), consumer)
    assert grade(pair) == "unsafe"
    assert "self.pump = Pump(size=SIZE)" in pair.fixed()


def test_none_as_the_providers_own_caller_passes_it() -> None:
    new = (
        "def lift(load, hook: int | None):\n    return load\n\n\ndef lift_all():\n    return lift(1, None)\n"
    )
    pair = one_module("def lift(load):\n    return load\n", new, "from gantry import lift\n\nlift(1)\n")
    assert grade(pair) == "unsafe"
    assert pair.fixed().endswith("lift(1, hook=None)\n")


def test_a_value_that_nothing_shows_is_only_displayed() -> None:
    pair = one_module(
        "def lift(load):\n    return load\n",
        "def lift(load, hook):\n    return load\n",
        "from gantry import lift\n\nlift(1)\n",
    )
    fix = only(pair).fix
    assert fix is not None and fix.applicability == "display"
    assert [edit.text for edit in fix.edits] == [", hook=..."]
    assert pair.fixed().endswith("lift(1)\n")


PLACES = {
    "gantry/__init__.py": "",
    "gantry/old.py": "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef keep():\n    return 3\n",
}
MOVED = {
    "gantry/__init__.py": "",
    "gantry/old.py": "def keep():\n    return 3\n",
    "gantry/new.py": "def a():\n    return 1\n\n\ndef b():\n    return 2\n",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from gantry.old import a\n\na()\n", "from gantry.new import a\n\na()\n"),
        (
            "from gantry.old import a, keep\n\na()\n",
            "from gantry.old import keep\nfrom gantry.new import a\n\na()\n",
        ),
        (
            "from gantry.old import (\n    a,\n    b,\n    keep,\n)\n",
            "from gantry.old import (\n    keep,\n)\nfrom gantry.new import a, b\n",
        ),
        (
            "import gantry.old as o\n\no.a()\no.keep()\n",
            "import gantry.new\nimport gantry.old as o\n\ngantry.new.a()\no.keep()\n",
        ),
        ("import gantry.old\n\ngantry.old.a()\n", "import gantry.new\nimport gantry.old\n\ngantry.new.a()\n"),
        (
            "from gantry import old\n\nold.a()  # here\n",
            "import gantry.new\nfrom gantry import old\n\ngantry.new.a()  # here\n",
        ),
        (
            "def f():\n    from gantry.old import a, keep\n\n    return a\n",
            "def f():\n    from gantry.old import keep\n    from gantry.new import a\n\n    return a\n",
        ),
    ],
)
def test_moved_names(before: str, after: str) -> None:
    pair = Pair(PLACES, MOVED, {"dock/__init__.py": before})
    assert pair.fixed() == after
    assert pair.findings({"dock/__init__.py": after.encode()}) == []


def test_a_moved_name_for_both_versions() -> None:
    pair = Pair(PLACES, MOVED, {"dock/__init__.py": "from gantry.old import a, keep\n"}, "shim")
    done = pair.fixed()
    assert done == (
        "from gantry.old import keep\ntry:\n    from gantry.new import a\nexcept ImportError:\n    from gantry.old import a\n"
    )
    for release in (pair.old, pair.new):
        assert pair.findings({"dock/__init__.py": done.encode()}, release) == []


def test_a_renamed_method_is_known_by_what_it_does() -> None:
    old = "class Crane:\n    def weigh(self, load):\n        return load + self.own\n\n    own = 1\n"
    pair = one_module(
        old, old.replace("weigh", "measure"), "from gantry import Crane\n\nCrane().weigh(1)  # t\n"
    )
    assert grade(pair) == "safe"
    assert pair.fixed("safe").endswith("Crane().measure(1)  # t\n")


def test_positional_arguments_of_changed_places_get_names() -> None:
    old = "def lift(load, speed, height):\n    return load\n"
    new = "def lift(load, height, speed):\n    return load\n"
    pair = one_module(old, new, "from gantry import lift\n\nlift(1, 2, 3)\n")
    assert pair.fixed().endswith("lift(1, speed=2, height=3)\n")


def test_an_override_takes_and_hands_on_what_the_base_is_given() -> None:
    old = "class Crane:\n    def run(self):\n        return self.lift(1)\n\n    def lift(self, load):\n        return load\n"
    new = (
        "class Crane:\n    def run(self):\n        return self.lift(1, height=2)\n\n"
        "    def lift(self, load, height=1):\n        return load\n"
    )
    consumer = (
        "from gantry import Crane\n\n\nclass Mine(Crane):\n    def lift(self, load):  # careful\n"
        "        return super().lift(load)\n\n\nMine().run()\n"
    )
    pair = one_module(old, new, consumer)
    done = pair.fixed()
    assert (
        "    def lift(self, load, height=1):  # careful\n        return super().lift(load, height=height)\n"
        in done
    )


def test_an_abstract_method_gets_a_stub_to_look_at() -> None:
    head = "from abc import ABC, abstractmethod\n\n\nclass Crane(ABC):\n"
    old = head + "    def name(self):\n        return 1\n"
    new = old + "\n    @abstractmethod\n    def lift(self, load: int) -> int: ...\n"
    pair = one_module(old, new, "from gantry import Crane\n\n\nclass Mine(Crane):\n    x = 1\n\n\nMine()\n")
    fix = only(pair).fix
    assert fix is not None and fix.applicability == "display"
    shown = fix.edits[0].text
    assert "    def lift(self, load):\n        raise NotImplementedError" in shown
    assert pair.repaired().files == {}


def test_a_second_step_follows_the_first_and_its_result_stands_in() -> None:
    old = "class Crane:\n    def lift(self, load):\n        return load\n"
    new = (
        "class Crane:\n    def __init__(self):\n        self.held = None\n\n    def lift(self, load):\n"
        "        if self.held is not None:\n            raise RuntimeError('lower first')\n"
        "        self.held = load\n        return None\n\n    def lower(self, gently: bool | None):\n"
        "        load, self.held = self.held, None\n        return load\n"
    )
    loop = "from gantry import Crane\n\ncrane = Crane()\nfor number in range(3):\n    {}\n"
    plain = one_module(old, new, loop.format("crane.lift(number)"))
    assert plain.fixed().endswith("    crane.lift(number)\n    crane.lower(None)\n")
    named = one_module(old, new, loop.format("out = crane.lift(number)\n    print(out)"))
    assert named.fixed().endswith(
        "    out = crane.lift(number)\n    if out is None:\n        out = crane.lower(None)\n    print(out)\n"
    )
    inline = one_module(old, new, loop.format("print(crane.lift(number))"))
    fix = next(one.fix for one in inline.findings() if one.code == "DC405")
    assert fix is not None and fix.applicability == "display"


def test_a_coroutine_is_awaited_only_inside_one() -> None:
    old = "def weigh():\n    return [1]\n"
    new = "async def weigh():\n    return [1]\n"
    inside = one_module(old, new, "from gantry import weigh\n\n\nasync def f():\n    return weigh()[0]\n")
    assert inside.fixed().endswith("    return (await weigh())[0]\n")
    outside = one_module(old, new, "from gantry import weigh\n\n\ndef f():\n    return weigh()[0]\n")
    assert grade(outside) == "display"


def test_a_fix_that_would_cause_another_finding_is_taken_back() -> None:
    pair = one_module(
        LIFT, "def lift(load):\n    return load\n", "from gantry import lift\n\nlift(1, limit=9)\n"
    )
    from driftcheck.engine.repair import repair

    def recheck(files):
        found = pair.findings(files)
        if not files:
            return found
        return [*found, Finding(code="DC299", name="x", severity="error", confidence="certain", status="introduced", path="dock/__init__.py",
                line=3, column=1, end_line=3, end_column=2, symbol="s", message="made up")]  # fmt: skip

    done = repair(recheck, pair.consumer.read, lambda one: True)
    assert done.files == {}
    assert [back.reason for back in done.rolled_back] == ["it would cause DC299 in line 3: made up"]


def test_one_bad_fix_does_not_take_the_others_along() -> None:
    consumer = "from gantry import lift\n\nlift(1, limit=9)\nlift(2, limit=9)\nlift(3, limit=9)\n"
    pair = one_module(LIFT, "def lift(load):\n    return load\n", consumer)
    from driftcheck.engine.repair import repair

    def recheck(files):
        found = pair.findings(files)
        text = files.get("dock/__init__.py", b"") if files else b""
        if b"lift(2)" in text:
            found.append(Finding(code="DC299", name="x", severity="error", confidence="certain", status="introduced", path="dock/__init__.py",
                line=4, column=1, end_line=4, end_column=2, symbol="s", message="made up"))  # fmt: skip
        return found

    done = repair(recheck, pair.consumer.read, lambda one: True)
    assert done.files["dock/__init__.py"].decode().endswith("lift(1)\nlift(2, limit=9)\nlift(3)\n")


def test_the_edits_in_the_report_make_what_fix_makes() -> None:
    from driftcheck.fixes import apply_edits

    consumer = "from gantry import lift\r\n\r\nlift(\r\n    1,\r\n    limit=9,  # why\r\n)\r\n"
    pair = one_module(LIFT, "def lift(load):\n    return load\n", consumer)
    edits = [edit for one in pair.findings() if one.fix for edit in one.fix.edits]
    path = "dock/__init__.py"
    assert apply_edits(pair.consumer.read(path), edits) == pair.repaired().files[path]
    ast.parse(pair.repaired().files[path])
