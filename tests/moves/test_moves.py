"""Where a name or module that is gone is found, by what, and how sure that is."""

from moves.making import findings, world

from driftcheck.infer.moves import moved_module, moved_name, moved_value
from driftcheck.infer.values import UNKNOWN, ClassValue, FunctionValue, ModuleValue

PLAN = """
def {name}(loads, depth=1):
    steps = []
    for load in loads:
        if load.weight > depth:
            steps.append(("lift", load))
        else:
            steps.append(("push", load))
    return sorted(steps)
"""
OTHER = """
def {name}(text):
    words = text.split()
    return {{word: len(word) for word in words if word.isalpha()}}
"""
CRANE = """
class Crane:
    def lift(self, load):
        return load.weight * self.speed

    def drop(self, load):
        return load.weight / self.speed
"""


def test_a_name_that_moved_is_found_where_it_is_defined():
    at = world(
        {"gantry/a.py": PLAN.format(name="plan_lifts")},
        {"gantry/a.py": "", "gantry/b.py": PLAN.format(name="plan_lifts")},
    )
    move = moved_name(at, "gantry.a", "plan_lifts")
    assert (move.module.name, move.name, move.line, move.sure, move.doubt) == (
        "gantry.b",
        "plan_lifts",
        2,
        True,
        "",
    )
    assert isinstance(moved_value(at, "gantry.a", "plan_lifts"), FunctionValue)


def test_of_two_namesakes_the_one_with_the_same_body_is_meant():
    at = world(
        {"gantry/a.py": PLAN.format(name="plan")},
        {
            "gantry/a.py": "",
            "gantry/b.py": OTHER.format(name="plan"),
            "gantry/c/d.py": PLAN.format(name="plan"),
        },
    )
    move = moved_name(at, "gantry.a", "plan")
    assert (move.module.name, move.sure) == ("gantry.c.d", True)


def test_two_that_are_alike_leave_it_open():
    body = PLAN.format(name="plan_lifts")
    at = world({"gantry/a.py": body}, {"gantry/a.py": "", "gantry/b.py": body, "gantry/c.py": body})
    assert not moved_name(at, "gantry.a", "plan_lifts").sure
    assert moved_value(at, "gantry.a", "plan_lifts") is UNKNOWN


def test_a_namesake_with_a_common_name_and_another_body_is_no_move():
    at = world(
        {"gantry/a.py": PLAN.format(name="run")}, {"gantry/a.py": "", "gantry/b.py": OTHER.format(name="run")}
    )
    assert moved_name(at, "gantry.a", "run") is None


def test_a_namesake_of_another_kind_is_not_gone_on_with():
    at = world(
        {"gantry/a.py": PLAN.format(name="LiftPlan")},
        {"gantry/a.py": "", "gantry/b.py": "class LiftPlan:\n    pass\n"},
    )
    move = moved_name(at, "gantry.a", "LiftPlan")
    assert move.module.name == "gantry.b"
    assert not move.sure


def test_a_private_module_is_reached_through_the_package_that_offers_its_names():
    after = {
        "gantry/__init__.py": "",
        "gantry/new/__init__.py": "from gantry.new._impl import plan_lifts\n",
        "gantry/new/_impl.py": PLAN.format(name="plan_lifts"),
    }
    move = moved_name(world({"gantry/a.py": PLAN.format(name="plan_lifts")}, after), "gantry.a", "plan_lifts")
    assert (move.module.name, move.home.name) == ("gantry.new", "gantry.new._impl")


def test_a_renamed_function_is_known_by_its_body():
    at = world(
        {"gantry/a.py": PLAN.format(name="plan_lifts")}, {"gantry/a.py": PLAN.format(name="order_moves")}
    )
    move = moved_name(at, "gantry.a", "plan_lifts")
    assert (move.name, move.sure) == ("order_moves", True)
    assert "likely order_moves now (the same body)" in move.phrase
    assert move.doubt


def test_a_renamed_and_moved_function_is_found_by_a_line_of_its_body():
    at = world(
        {"gantry/a.py": PLAN.format(name="plan_lifts")},
        {"gantry/a.py": "", "gantry/deep/b.py": OTHER.format(name="count") + PLAN.format(name="order_moves")},
    )
    assert moved_name(at, "gantry.a", "plan_lifts") is None  # no line of it is long enough to tell
    telling = PLAN.replace('("lift", load)', '("lift", load, "with the northern crane only")')
    at = world(
        {"gantry/a.py": telling.format(name="plan_lifts")},
        {
            "gantry/a.py": "",
            "gantry/deep/b.py": OTHER.format(name="count") + telling.format(name="order_moves"),
        },
    )
    move = moved_name(at, "gantry.a", "plan_lifts")
    assert (move.module.name, move.name) == ("gantry.deep.b", "order_moves")


def test_a_small_function_needs_a_like_name_in_the_same_place():
    before = {"gantry/a.py": "A = 1\ndef get_size(x):\n    return 1\nB = 2\n"}
    like = {"gantry/a.py": "A = 1\ndef get_total_size(x):\n    return 2\nB = 2\n"}
    unlike = {"gantry/a.py": "A = 1\ndef reset(x):\n    return 2\nB = 2\n"}
    move = moved_name(world(before, like), "gantry.a", "get_size")
    assert (move.name, move.sure) == ("get_total_size", False)
    assert moved_name(world(before, unlike), "gantry.a", "get_size") is None


ROUTE = """
def {name}(loads, depth=1):
    steps = []
    for load in loads:
        if load.weight > depth:
            steps.append(("lift", load))
        else:
            steps.append(("push", load))
    {end}
"""


def _renamed(before: str, after: str):
    """Where a function ``plan_lifts`` of the first text went, if it went anywhere: (name, whether that is sure)."""
    move = moved_name(world({"gantry/a.py": before}, {"gantry/a.py": after}), "gantry.a", "plan_lifts")
    return move and (move.name, move.sure)


def test_the_less_is_left_of_a_body_the_more_of_the_name_must_be():
    before = ROUTE.format(name="plan_lifts", end="return steps")
    much = "heavy = [step for step in steps if step]\n    return heavy + [None]"
    little = (
        f"{much} + sorted(loads, key=lambda load: (load.weight, load.key, load.place)) if depth else {{}}"
    )
    assert _renamed(before, ROUTE.format(name="order", end=much)) == ("order", False)
    assert _renamed(before, ROUTE.format(name="order", end=little)) is None
    assert _renamed(before, ROUTE.format(name="plan_all_lifts", end=little)) == ("plan_all_lifts", False)


def test_a_renamed_constant_is_known_by_a_value_that_tells_enough():
    before = {"gantry/a.py": 'SIDES = ("north", "south")\nLIMIT = 12\n'}
    at = world(before, {"gantry/a.py": 'ENDS = ("north", "south")\nMOST = 12\n'})
    move = moved_name(at, "gantry.a", "SIDES")
    assert (move.name, move.sure) == ("ENDS", False)
    assert "the same value" in move.phrase
    assert moved_name(at, "gantry.a", "LIMIT") is None
    other = world(before, {"gantry/a.py": 'ENDS = ("north", "east")\n'})
    assert moved_name(other, "gantry.a", "SIDES") is None


def test_what_was_there_before_took_nothing_over():
    both = PLAN.format(name="plan_lifts") + PLAN.format(name="order_moves")
    at = world({"gantry/a.py": both}, {"gantry/a.py": PLAN.format(name="order_moves")})
    assert moved_name(at, "gantry.a", "plan_lifts") is None


def test_a_module_went_where_most_of_its_definitions_are():
    code = PLAN.format(name="plan_lifts") + OTHER.format(name="count_words") + CRANE
    at = world(
        {"gantry/old/a.py": code},
        {"gantry/new/core.py": code, "gantry/b.py": OTHER.format(name="count_words")},
    )
    move = moved_module(at, "gantry.old.a", None)
    assert (move.module.name, move.sure) == ("gantry.new.core", True)
    assert moved_value(at, "gantry.old.a", None) == ModuleValue("gantry.new.core")
    assert isinstance(moved_value(at, "gantry.old.a", "Crane"), ClassValue)


def test_a_module_that_was_split_leads_to_each_name():
    at = world(
        {"gantry/a.py": PLAN.format(name="plan_lifts") + CRANE},
        {"gantry/plans.py": PLAN.format(name="plan_lifts"), "gantry/cranes.py": CRANE},
    )
    assert moved_module(at, "gantry.a", None) is None
    assert moved_module(at, "gantry.a", "plan_lifts").module.name == "gantry.plans"
    assert moved_module(at, "gantry.a", "Crane").module.name == "gantry.cranes"


def test_without_a_known_good_version_the_path_and_the_name_decide():
    after = {"gantry/v1/backends/crane.py": CRANE}
    move = moved_module(world(None, after), "gantry.backends.crane", "Crane")
    assert move.module.name == "gantry.v1.backends.crane"


def test_without_a_known_good_version_a_common_name_is_not_gone_on_with():
    at = world(None, {"gantry/a.py": "", "gantry/b.py": PLAN.format(name="run")})
    assert moved_value(at, "gantry.a", "run") is UNKNOWN
    at = world(None, {"gantry/a.py": "", "gantry/b.py": PLAN.format(name="plan_lifts")})
    assert isinstance(moved_value(at, "gantry.a", "plan_lifts"), FunctionValue)


CONSUMER = {
    "dock/__init__.py": "",
    "dock/first.py": "from gantry.old.plans import plan_lifts\nfrom gantry.old.cranes import Crane\n",
    "dock/second.py": "from gantry.old.plans import plan_lifts\n\nplan_lifts([], deep=2)\n",
}
BEFORE = {
    "gantry/__init__.py": "",
    "gantry/old/__init__.py": "",
    "gantry/old/plans.py": PLAN.format(name="plan_lifts").replace("depth", "deep"),
    "gantry/old/cranes.py": CRANE,
}
AFTER = {
    "gantry/__init__.py": "",
    "gantry/new/__init__.py": "",
    "gantry/new/plans.py": PLAN.format(name="plan_lifts"),
    "gantry/new/cranes.py": CRANE,
}


def test_a_package_that_moved_is_told_once_with_the_uses_below_it():
    found = [f for f in findings(CONSUMER, BEFORE, AFTER) if f.code == "DC101"]
    assert [(f.path, f.line) for f in found] == [("dock/first.py", 1)]
    assert [(r.path, r.line) for r in found[0].related] == [("dock/first.py", 2), ("dock/second.py", 1)]
    assert "gantry.new.plans" in found[0].message
    assert "gantry.new.cranes" in found[0].related[0].message


def test_what_a_moved_function_takes_is_still_checked():
    found = [f for f in findings(CONSUMER, BEFORE, AFTER) if f.path == "dock/second.py"]
    assert [(f.code, f.line, f.symbol) for f in found] == [("DC206", 3, "gantry.old.plans.plan_lifts.deep")]


def test_api_that_lived_in_one_release_is_gone_on_both_sides_of_it():
    one = {"gantry.py": "def short_lived_plan(x):\n    return x\n"}
    consumer = {"dock.py": "from gantry import short_lived_plan\n"}
    assert [f.status for f in findings(consumer, one, {"gantry.py": ""})] == ["introduced"]
    assert [f.status for f in findings(consumer, {"gantry.py": ""}, {"gantry.py": "X = 1"})] == [
        "preexisting"
    ]
    assert [found.status for found in findings(consumer, {"gantry.py": ""}, one)] == ["fixed"]
    assert findings(consumer, one, one) == []
