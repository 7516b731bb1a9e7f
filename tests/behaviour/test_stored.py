"""What the methods of a class keep on its objects."""

import textwrap

import pytest
from behaviour.making import cls, world

from driftcheck.infer.shapes import describe
from driftcheck.infer.stores import attribute_values

HEAD = (
    "import gantry.parts\n\nHAS_ROPE = False\n\n\nclass Motor:\n    pass\n\n\nclass Engine:\n    pass\n\n\n"
)
PARTS = "class Rope:\n    pass\n"


def kept(init: str, parameters: str = "deep") -> str:
    """What ``self.held`` may be after an ``__init__`` with this body."""
    body = textwrap.indent(init, "        ")
    source = f"{HEAD}class Crane:\n    def __init__(self, {parameters}):\n{body}\n"
    of = world({"gantry/__init__.py": source, "gantry/parts.py": PARTS})
    crane = cls(of, "Crane")
    return describe(attribute_values(of, crane, "held", crane))


@pytest.mark.parametrize(
    "init",
    [
        "self.held = Motor()",
        "if deep:\n    self.held = Motor()",
        "if not HAS_ROPE:\n    raise ImportError('rope')\nself.held = Motor()",
        "if deep:\n    if not HAS_ROPE:\n        raise ImportError('rope')\n    self.held = Motor()",
        "with deep:\n    if not HAS_ROPE:\n        return\n    self.held = Motor()",
        "try:\n    if not HAS_ROPE:\n        raise ValueError\nfinally:\n    self.held = Motor()",
    ],
)
def test_a_branch_that_only_leaves_says_nothing_of_what_comes_after_it(init):
    assert kept(init) == "a Motor"


@pytest.mark.parametrize(
    "init",
    [
        "import gantry.parts\nself.held = gantry.parts.Rope()",
        "import gantry.parts as parts\nself.held = parts.Rope()",
        "from gantry.parts import Rope\nself.held = Rope()",
        "from gantry.parts import Rope as R\nif deep:\n    self.held = R()\nelse:\n    self.held = R()",
    ],
)
def test_what_a_method_imports(init):
    assert kept(init) == "a Rope"


def test_an_annotation_speaks_for_what_is_handed_on():
    assert kept("self.held: Motor = given", "given: Engine") == "a Motor"
    assert kept("self.held = given", "given: Engine") == "a Engine"


def test_an_annotation_does_not_leave_out_what_is_made_here():
    assert kept("self.held: Motor = Engine()") == "a Engine"
    assert kept("self.held: Motor = Motor() if deep else Engine()") == "a Engine or a Motor"
