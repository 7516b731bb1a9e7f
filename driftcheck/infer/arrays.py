"""Arrays of many elements: what makes one, and where asking for its truth raises."""

from __future__ import annotations

from driftcheck.infer.values import Const, External, Instance, Value

MANY = Const("many")


def array(path: str) -> Value:
    """An array of a library's class that is known to have more than one element in general."""
    return Instance(External(path), False, (MANY,))


def is_array(value: Value) -> bool:
    """Whether the value is an array of possibly many elements."""
    return isinstance(value, Instance) and value.args == (MANY,)
