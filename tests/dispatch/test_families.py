"""Families: which classes could stand where a function is bound, what they lost and what came in its place."""

from driftcheck.infer.families import family, has, loss, receiver_reads

ONE = """
class {name}:
    def __init__(self):
        self.parts = []

    def {method}(self, part):
        {body}

    def run(self):
        return [self.{method}(part) for part in self.parts]
"""


def provider(*classes: tuple[str, str, str]) -> dict[str, str]:
    return {
        f"gantry/{name.lower()}.py": ONE.format(name=name, method=method, body=body)
        for name, method, body in classes
    } | {"gantry/__init__.py": ""}


def test_a_family_has_the_method_and_every_attribute(world):
    files = provider(
        ("Tower", "weigh", "return part"), ("Gate", "weigh", "return 2"), ("Wall", "count", "return part")
    )
    made = world(files, {"dock/__init__.py": ""})
    assert [c.name for c in family(made, "run", ["parts", "weigh"])] == ["Gate", "Tower"]
    assert family(made, "walk", ["parts"]) == []


def test_the_loss_and_its_successor(world):
    before = world(
        provider(("Tower", "weigh", "return part"), ("Gate", "weigh", "return part + 1")),
        {"dock/__init__.py": ""},
    )
    after = world(
        provider(("Tower", "measure", "return part"), ("Gate", "measure", "return part + 1")),
        {"dock/__init__.py": ""},
    )
    found = loss(before, after, family(before, "run", ["parts", "weigh"]), "weigh")
    assert found is not None
    assert found.share == 1.0
    assert found.successor == "measure"
    assert loss(before, after, family(before, "run", ["parts", "weigh"]), "parts") is None


def test_a_new_method_that_does_something_else_is_no_successor(world):
    before = world(
        provider(("Tower", "weigh", "return part"), ("Gate", "weigh", "return part + 1")),
        {"dock/__init__.py": ""},
    )
    after = world(
        provider(("Tower", "measure", "return -part"), ("Gate", "measure", "return 0")),
        {"dock/__init__.py": ""},
    )
    found = loss(before, after, family(before, "run", ["parts", "weigh"]), "weigh")
    assert found is not None
    assert found.successor is None


def test_what_a_base_of_another_library_may_have_is_not_lost(world):
    text = "from lib import Base\n\n\nclass Tower(Base):\n    parts = []\n\n    {}def run(self):\n        return 1\n"
    before = world(
        {"gantry/__init__.py": text.format("def weigh(self):\n        return 1\n\n    ")},
        {"dock/__init__.py": ""},
    )
    after = world({"gantry/__init__.py": text.format("")}, {"dock/__init__.py": ""})
    classes = family(before, "run", ["parts", "weigh"])
    assert [c.name for c in classes] == ["Tower"]
    assert loss(before, after, classes, "weigh") is None


def test_a_name_in_a_string_may_be_put_on_the_object(world):
    text = "class Tower:\n    def __init__(self):\n        self.add('weigh', 1)\n\n    def run(self):\n        return 1\n"
    made = world({"gantry/__init__.py": text}, {"dock/__init__.py": ""})
    module = made.module("gantry")
    cls = module.class_of(module.bindings["Tower"][-1])
    assert has(made, cls, "run") is True
    assert has(made, cls, "weigh") is None
    assert has(made, cls, "lift") is False


def test_reads_of_the_receiver_leave_out_what_the_function_asks_for_or_sets(world):
    text = """
def run(self, other):
    self.mine = 1
    first = self.parts
    second = self.new if hasattr(self, "new") else self.old
    try:
        third = self.rare
    except AttributeError:
        third = None
    return first, second, third, self.mine, other.theirs, self.weigh(1)
"""
    made = world({"gantry/__init__.py": ""}, {"dock/__init__.py": text})
    module = made.module("dock")
    function = module.function_of(module.bindings["run"][-1])
    assert set(receiver_reads(function)) == {"parts", "weigh"}
