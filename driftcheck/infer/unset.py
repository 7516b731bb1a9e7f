"""What a library does where nobody sets anything: environment variables unset, fields at their defaults.

A second world over the same trees answers that. In it ``os.getenv`` gives its default, an object's field
gives the field's default, and bodies are preferred to annotations, since ``bool`` does not say which.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from driftcheck.index.classes import ClassDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.frame import Frame
from driftcheck.infer.values import NONE, UNKNOWN, ClassValue, Container, Instance, Value, options
from driftcheck.infer.world import World


@dataclass
class Unset:
    """What deciding so rested on: variables that were read, fields, and tests taken to be false."""

    variables: set[str] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)
    assumed: list[str] = field(default_factory=list)

    def test(self, frame: Frame, node: ast.If, value: Value) -> bool | None:
        """How an undecided test comes out where nothing is set; None where that depends on more.

        An empty list stays empty. A test that asks only the module's own constants asks what is installed,
        and where it makes the function leave early it is the exception.
        """
        if isinstance(value, Container) and value.elements == ():
            return False
        if _leaves(node.body) and not node.orelse and _asks_module_only(frame, node.test):
            self.assumed.append(ast.unparse(node.test))
            return False
        return None


def unset_world(world: World) -> World:
    """The world without settings beside ``world``; made once."""
    if world.unset is not None:
        return world
    key = "unset-world"
    if key not in world.cache:
        world.cache[key] = new_unset_world(world)
    return world.cache[key]


def new_unset_world(world: World) -> World:
    """A world without settings that has decided nothing yet."""
    other = World(world.consumer, world.provider, world.facts)
    other.contracts = world.contracts
    other.unset = Unset()
    return other


def field_default(world: World, owner: ClassDef, name: str, said: Value) -> Value:
    """A field's default as the value of the attribute; ``said`` (its annotation) where it has none known.

    A default None that the annotation does not allow is a placeholder, which something fills.
    """
    from driftcheck.infer.constructors import field_style, fields_of
    from driftcheck.infer.evaluator import Evaluator

    assert world.unset is not None
    if field_style(world, owner) is None:
        return said
    found = next((one for one in fields_of(world, owner) if one.name == name), None)
    if found is None or found.default is None:
        return said
    value = Evaluator(world, world.module_scope(owner.module)).eval(found.default)
    if found.factory:
        value = Instance(value) if isinstance(value, ClassValue) else UNKNOWN
    if value is UNKNOWN or (value == NONE and said is not UNKNOWN and NONE not in options(said)):
        return said
    world.unset.fields.add(f"{owner.name}.{name}")
    return value


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise))


def _asks_module_only(frame: Frame, test: ast.expr) -> bool:
    """Whether a test reads nothing but names of the module: no parameter, no local, nothing of the object."""
    names = {n.id for n in nodes_of(test) if isinstance(n, ast.Name)}
    return bool(names) and frame.env is not None and not names & frame.env.keys()
