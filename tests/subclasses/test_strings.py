"""What a dotted string stands for."""

import pytest

from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import Facts
from driftcheck.infer.strings import resolve_string
from driftcheck.infer.values import ClassValue, FunctionValue, ModuleValue
from driftcheck.infer.world import World
from driftcheck.sources.tree import MemoryFiles, Tree

FILES = {
    "gantry/__init__.py": b"from gantry.tools import Hook as Alias\n",
    "gantry/tools.py": b"class Hook:\n    def lift(self):\n        return 1\n",
}


@pytest.fixture
def world():
    provider = Tree(spec="gantry", files=MemoryFiles(FILES), packages=("gantry",), name="gantry")
    consumer = Tree(
        spec="dock", files=MemoryFiles({"dock/__init__.py": b""}), packages=("dock",), name="dock"
    )
    return World(Index(consumer), Index(provider), Facts())


@pytest.mark.parametrize("text", ["gantry.tools.Hook", "gantry.tools:Hook", "gantry.Alias", "gantry:Alias"])
def test_a_class(world, text):
    found = resolve_string(world, text)
    assert found is not None and found.missing is None
    assert isinstance(found.value, ClassValue)
    assert found.value.definition.qualname == "gantry.tools.Hook"


def test_a_module_and_a_method(world):
    module = resolve_string(world, "gantry.tools")
    assert module is not None and module.value == ModuleValue("gantry.tools")
    method = resolve_string(world, "gantry.tools:Hook.lift")
    assert method is not None and isinstance(method.value, FunctionValue)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("gantry.hooks.Hook", "gantry.hooks"),
        ("gantry.tools.Rope", "gantry.tools.Rope"),
        ("gantry.tools:Hook.drop", "gantry.tools.Hook.drop"),
        ("gantry.hooks:Hook", "gantry.hooks"),
    ],
)
def test_what_is_missing(world, text, missing):
    found = resolve_string(world, text)
    assert found is not None
    assert found.missing == missing


@pytest.mark.parametrize("text", ["a sentence. Another", "gantry/tools.py", "", "1.2", "torch.nn.Module"])
def test_no_reference(world, text):
    found = resolve_string(world, text)
    assert found is None or found.missing is None
