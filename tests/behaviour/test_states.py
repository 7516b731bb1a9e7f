"""What methods do with the state of their object."""

import pytest
from behaviour.making import cls, function, world

from driftcheck.infer.protocols import protocol_of
from driftcheck.infer.states import effects_of

HEAD = "class Crane:\n    def __init__(self):\n        self.held = None\n"
RELEASE = "    def release(self):\n        self.held = None\n"


def protocol(lift: str, release: str = RELEASE):
    """The protocol that ``Crane.lift`` with this body starts."""
    body = "".join(f"        {line}\n" for line in lift.splitlines())
    of = world({"gantry/__init__.py": f"{HEAD}    def lift(self, load):\n{body}{release}"})
    return protocol_of(of, cls(of, "Crane"), function(of, "Crane.lift"))


@pytest.mark.parametrize(
    "guard",
    [
        "if self.held is not None:\n    raise RuntimeError('x')",
        "if self.held:\n    raise RuntimeError('x')",
        "if not self.held is None:\n    raise RuntimeError('x')",
        "assert self.held is None",
        "assert not self.held, 'x'",
        "assert self.held is None and load",
        "assert not self.held and (self.held is None or load), 'x'",
        "if self.held or not load:\n    raise RuntimeError('x')",
        "if not (self.held is None and load):\n    raise RuntimeError('x')",
    ],
)
def test_each_form_of_guard(guard):
    found = protocol(f"{guard}\nself.held = load")
    assert found is not None
    assert [m.name for m in found.seconds] == ["release"]
    assert found.returns_none
    assert found.always


@pytest.mark.parametrize(
    "lift",
    [
        "self.held = load",
        "if self.held is None:\n    raise RuntimeError('x')\nself.held = load",
        "if self.held is not None:\n    return None\nself.held = load",
        "if self.held is not None:\n    raise RuntimeError('x')\nself.other = load",
        "self.held = load\nif self.held is not None:\n    raise RuntimeError('x')",
        "if self.held and load:\n    raise RuntimeError('x')\nself.held = load",
        "assert self.held is None or load\nself.held = load",
        "if load:\n    if self.held:\n        raise RuntimeError('x')\nself.held = load",
        "if self.held:\n    raise RuntimeError('x')\nself.held = load\nself.held = None",
    ],
)
def test_no_protocol(lift):
    assert protocol(lift) is None


def test_a_state_that_nothing_clears_is_no_protocol():
    assert protocol("if self.held:\n    raise RuntimeError('x')\nself.held = load", "") is None


def test_an_early_return_is_another_way():
    found = protocol(
        "if self.held:\n    raise RuntimeError('x')\nif not load:\n    return 0\nself.held = load"
    )
    assert found is not None
    assert not found.always
    assert found.other_ways == 1


def test_what_a_handler_clears_is_no_effect():
    found = protocol(
        "if self.held:\n    raise RuntimeError('x')\nself.held = load\ntry:\n    go()\nexcept OSError:\n    self.held = None\n    raise"
    )
    assert found is not None


def test_helpers_on_self_count():
    source = (
        f"{HEAD}    def _check(self):\n        if self.held:\n            raise ValueError('busy')\n"
        "    def lift(self, load):\n        self._check()\n        self._keep(load)\n"
        "    def _keep(self, load):\n        self.held = load\n" + RELEASE
    )
    of = world({"gantry/__init__.py": source})
    effects = effects_of(of, cls(of, "Crane"), function(of, "Crane.lift"))
    assert [(g.attribute, g.exception, g.text) for g in effects.guards] == [("held", "ValueError", "busy")]
    assert [s.attribute for s in effects.sets] == ["held"]
