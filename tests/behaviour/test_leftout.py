"""What stays empty when a constructor is not given a parameter."""

import pytest
from behaviour.making import cls, world

from driftcheck.infer.leftout import stays_empty


def missing(init: str, given: set[str] | None = frozenset()):  # type: ignore[assignment]
    body = "".join(f"        {line}\n" for line in init.splitlines())
    of = world({"gantry/__init__.py": f"class Load:\n    def __init__(self, weight=1, stamp=None):\n{body}"})
    return stays_empty(of, cls(of, "Load"), "stamps", given)


@pytest.mark.parametrize(
    "init",
    [
        "self.stamps = stamp",
        "self.stamps = stamp or []",
        "self.stamps = []\nif stamp is not None:\n    self.stamps = stamp()",
        "if stamp is None:\n    self.stamps = []\nelse:\n    self.stamps = stamp()",
        "self.stamps = [] if stamp is None else [stamp]",
        "self.stamps = [stamp] if stamp else []",
    ],
)
def test_it_stays_empty(init):
    assert missing(init) == "stamp"
    assert missing(init, {"weight"}) == "stamp"
    assert missing(init, {"stamp"}) is None
    assert missing(init, None) is None


@pytest.mark.parametrize(
    "init",
    [
        "self.stamps = make()",
        "self.stamps = []\nself.stamps = make()",
        "self.stamps = []\nif make():\n    self.stamps = [1]",
        "self.stamps = weight",
        "self.other = stamp",
    ],
)
def test_it_does_not_or_that_is_not_known(init):
    assert missing(init) is None


def field_missing(fields: str, given: set[str]):
    head = "from dataclasses import dataclass, field\n@dataclass\nclass Load:\n"
    of = world({"gantry/__init__.py": head + "".join(f"    {line}\n" for line in fields.splitlines())})
    return stays_empty(of, cls(of, "Load"), "stamps", given)


@pytest.mark.parametrize("default", ["None", "field(default=None)"])
def test_a_field_that_is_left_out_stays_empty(default):
    fields = f"weight: int = 1\nstamps: list | None = {default}"
    assert field_missing(fields, set()) == "stamps"
    assert field_missing(fields, {"weight"}) == "stamps"
    assert field_missing(fields, {"stamps"}) is None


@pytest.mark.parametrize(
    "stamps", ["stamps: str = 'new'", "stamps: list = field(default_factory=make)", "stamps: list"]
)
def test_a_field_that_is_filled_or_must_be_given(stamps):
    assert field_missing(f"{stamps}\nspare: list | None = None", {"weight"}) is None
