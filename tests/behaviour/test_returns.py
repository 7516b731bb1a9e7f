"""What a function returns, read off its body."""

import textwrap

import pytest
from behaviour.making import function, world

from driftcheck.infer.run import returned
from driftcheck.infer.shapes import describe
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import UNKNOWN, Const, FunctionValue, Value, options

HEAD = "class Load:\n    weight = 1\n\n\ndef load(x):\n    return Load() if x else None\n\n\n"


def result(source: str, arguments: Arguments | None = None) -> Value:
    """What the function ``ask`` of a module returns; without ``arguments`` to whoever calls it."""
    of = world({"gantry/__init__.py": HEAD + source})
    return returned(of, FunctionValue(function(of, "ask")), arguments)


def names(value: Value) -> set[object]:
    """The constants that a value may be, and what its other options are called."""
    return {option.value if isinstance(option, Const) else describe(option) for option in options(value)}


def of_body(body: str) -> set[object]:
    return names(result(f"def ask(xs):\n{textwrap.indent(textwrap.dedent(body), '    ')}"))


LOOPS = {
    "a loop that may not run once": ("last = 1\nfor x in xs:\n    last = 2\nreturn last", {1, 2}),
    "a round that may end in an exception": (
        "last = 1\nfor x in xs:\n    if not x:\n        raise ValueError\n    last = 2\nreturn last",
        {1, 2},
    ),
    "every round raises": ("last = 1\nfor x in xs:\n    last = 2\n    raise ValueError\nreturn last", {1}),
    "every round returns": ("for x in xs:\n    return 1\nreturn 2", {1, 2}),
    "until it is there": ("found = None\nwhile found is None:\n    found = Load()\nreturn found", {"a Load"}),
    "asked again until it is there": (
        "found = load(xs)\nwhile found is None:\n    found = load(xs)\nreturn found",
        {"a Load"},
    ),
    "asked in the test": ("while (found := load(xs)) is None:\n    pass\nreturn found", {"a Load"}),
    "as long as it is there": (
        "found = load(xs)\nwhile found is not None:\n    found = load(xs)\nreturn found",
        {None},
    ),
    "a round begun anew": (
        "found = None\nwhile found is None:\n    if xs:\n        continue\n    found = load(xs)\nreturn found",
        {"a Load"},
    ),
    "what a round begun anew has done": (
        "last = 1\nfor x in xs:\n    last = 2\n    if x:\n        continue\n    last = 3\nelse:\n    return last\nreturn 4",
        {1, 2, 3},
    ),
    "what a round begun anew carries round": (
        "last = 1\nfor x in xs:\n    if last == 2:\n        return 'again'\n    last = 2\n    continue\nreturn 'end'",
        {"again", "end"},
    ),
    "nobody gets past a test that is never false": (
        "busy = True\nif xs:\n    return 1\nwhile busy:\n    raise ValueError\nreturn 2",
        {1},
    ),
    "nobody gets past a round that always returns": ("busy = True\nwhile busy:\n    return 1\nreturn 2", {1}),
    "left by break": ("found = None\nwhile True:\n    found = Load()\n    break\nreturn found", {"a Load"}),
}


@pytest.mark.parametrize(("body", "wanted"), LOOPS.values(), ids=LOOPS)
def test_what_holds_after_a_loop(body, wanted):
    assert of_body(body) == wanted


BRANCHES = {
    "a choice of two true values is true": ("side = 'a' if xs else 'b'\nreturn 1 if side else 2", {1}),
    "a choice of two false values is false": ("side = '' if xs else 0\nreturn 1 if side else 2", {2}),
    "a choice of a true and a false value": ("side = 'a' if xs else ''\nreturn 1 if side else 2", {1, 2}),
}


@pytest.mark.parametrize(("body", "wanted"), BRANCHES.values(), ids=BRANCHES)
def test_which_branch_is_taken(body, wanted):
    assert of_body(body) == wanted


def test_an_attribute_of_what_has_no_name_is_assigned():
    assert of_body("load(xs).weight = 2\n[Load()][0].weight, last = 3, 4\nreturn last") == {4}


def test_nothing_is_known_of_an_argument_of_unknown_kind():
    assert result("def ask(x):\n    return x") is UNKNOWN
    assert result("def ask(x=None):\n    return x") is UNKNOWN


@pytest.mark.parametrize("parameters", ["quick=False", "*, quick=False"])
def test_a_default_counts_where_the_call_is_known_to_leave_it(parameters):
    source = f"def ask({parameters}):\n    return 1 if quick else 2"
    assert names(result(source, Arguments())) == {2}
    assert names(result(source, Arguments(open_keywords=True))) == {1, 2}
    assert names(result(source)) == {1, 2}
