"""The attributes that a constructor puts a parameter in."""

import pytest
from behaviour.making import function, world

from driftcheck.infer.carriers import attributes_from


def kept(body: str) -> list[str]:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    of = world({"gantry/__init__.py": f"class Crane:\n    def __init__(self, speed, box):\n{lines}"})
    return attributes_from(function(of, "Crane.__init__"), "speed")


@pytest.mark.parametrize(
    ("body", "attributes"),
    [
        ("self.speed = speed", ["speed"]),
        ("self.limit = speed or 3", ["limit"]),
        ("self.limit: int = speed\nself.speed = speed", ["limit", "speed"]),
        ("box.speed = speed", []),
        ("self.box.speed = speed", []),
        ("limit = speed", []),
        ("self.speed = box", []),
        ("self.speed = speed + 1", []),
    ],
)
def test_on_the_object_itself(body, attributes):
    assert sorted(kept(body)) == attributes
