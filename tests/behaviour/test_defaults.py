"""Defaults compared as values."""

import pytest
from behaviour.making import cls, world

from driftcheck.infer.defaults import defaults_of
from driftcheck.infer.values import ClassValue

HEAD = "import enum\nfrom dataclasses import dataclass, field\nLIMIT = 4\nclass Mode(enum.Enum):\n    A = 1\n    B = 2\n"


def default(declaration: str, after: str = ""):
    """The default of the field ``x`` of a dataclass."""
    of = world(
        {"gantry/__init__.py": f"{HEAD}@dataclass\nclass Config:\n    x: object = {declaration}\n{after}"}
    )
    return defaults_of(of, ClassValue(cls(of, "Config")))["x"]


SAME = [
    ("4", "field(default=4)"),
    ("4", "LIMIT"),
    ("(1, 2)", "field(default=(1, 2))"),
    ("field(default_factory=list)", "field(default_factory=lambda: [])"),
    ("Mode.A", "field(default=Mode.A)"),
]
OTHER = [
    ("4", "5"),
    ("None", "True"),
    ("False", "None"),
    ("0", "False"),
    ("'a'", "'b'"),
    ("Mode.A", "Mode.B"),
    ("field(default_factory=list)", "None"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal(one, other):
    assert not default(one).differs(default(other))
    assert default(one).value == default(other).value


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_different(one, other):
    assert default(one).differs(default(other))


@pytest.mark.parametrize("unknown", ["compute()", "field(default_factory=compute)", "other.value"])
def test_what_is_not_known_is_not_different(unknown):
    assert not default("4").differs(default(unknown))
    assert not default(unknown).differs(default("4"))


def test_none_is_what_the_class_puts_in_its_place():
    filled = default(
        "None", "    def __post_init__(self):\n        if self.x is None:\n            self.x = 4\n"
    )
    assert not default("4").differs(filled)
    assert default("5").differs(filled)
    unknown = default(
        "None", "    def __post_init__(self):\n        if self.x is None:\n            self.x = f()\n"
    )
    assert not default("5").differs(unknown)


INIT = """
class Config:
    def __init__(self, x={x}, *, y=2, z):
        self.x = x

class Below(Config):
    pass
"""


@pytest.mark.parametrize("name", ["Config", "Below"])
def test_parameters_of_the_constructor_in_force(name):
    def found(x):
        of = world({"gantry/__init__.py": INIT.format(x=x)})
        return defaults_of(of, ClassValue(cls(of, name)))

    assert found("4").keys() == {"x", "y"}
    assert found("4")["x"].symbol == "gantry.Config.x"
    assert found("4")["x"].differs(found("5")["x"])
    assert not found("4")["y"].differs(found("5")["y"])
