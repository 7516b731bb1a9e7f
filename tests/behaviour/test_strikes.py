"""What one value of a field runs into and another does not."""

import textwrap

import pytest
from behaviour.making import cls, world

from driftcheck.infer.strikes import strikes_of

HEAD = """
from dataclasses import dataclass


@dataclass
class Config:
    strict: bool = False


class Yard:
    def __init__(self, config: Config):
        self.config = config

    def take(self, load):
"""


def strikes(body: str, new: object = True, old: object = False):
    """What ``take`` with this body raises for the new value alone: (exception, text, what must be empty)."""
    of = world({"gantry/__init__.py": HEAD + textwrap.indent(body, "        ")})
    return [(s.exception, s.text, s.attribute) for s in strikes_of(of, cls(of, "Config"), "strict", new, old)]


@pytest.mark.parametrize(
    "body",
    [
        "assert not self.config.strict, 'no'",
        "assert self.config.strict is False, 'no'",
        "if self.config.strict:\n    raise AssertionError('no')",
        "for one in load:\n    assert not self.config.strict, 'no'",
        "if not self.config.strict:\n    return 1\nraise AssertionError('no')",
    ],
)
def test_it_is_refused_whatever_is_given(body):
    assert strikes(body) == [("AssertionError", "no", None)]
    assert strikes(body, new=False, old=True) == []
    assert strikes(body, new=2, old=1) == []


@pytest.mark.parametrize(
    "check",
    [
        "assert load.stamp",
        "assert load.stamp is not None",
        "assert not load.stamp is None",
        "assert len(load.stamp) > 0",
        "if not load.stamp:\n    raise AssertionError",
        "if load.stamp is None:\n    raise AssertionError",
        "if not (load.stamp is not None):\n    raise AssertionError",
        "if len(load.stamp) == 0:\n    raise AssertionError",
    ],
)
def test_something_empty_is_refused(check):
    body = f"if self.config.strict:\n{textwrap.indent(check, '    ')}"
    assert strikes(body) == [("AssertionError", "", "stamp")]


@pytest.mark.parametrize(
    "check",
    [
        "assert not load.stamp",
        "assert load.stamp is None",
        "assert len(load.stamp) < 3",
        "if load.stamp:\n    raise AssertionError",
        "if load.stamp is not None:\n    raise AssertionError",
        "if not load.stamp is None:\n    raise AssertionError",
        "if len(load.stamp) > 3:\n    raise AssertionError",
        "if load.weight > 3:\n    raise AssertionError",
    ],
)
def test_nothing_empty_is_refused(check):
    assert strikes(f"if self.config.strict:\n{textwrap.indent(check, '    ')}") == []
