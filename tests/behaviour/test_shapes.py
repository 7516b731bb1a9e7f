"""What can be done with a value, against what Python says when it is done with such an object."""

import asyncio
from collections.abc import Callable

import pytest
from behaviour.making import world

from driftcheck.infer.shapes import raises
from driftcheck.infer.values import NONE, UNKNOWN, Const, Container, Coroutine, DictOf, TupleOf, Value


async def numbers():
    yield 1


async def number():
    return 1


async def wait(one):
    return await one


async def gather(one):
    return [item async for item in one]


def unpack(one):
    first, second = one
    return first, second


DONE: dict[str, Callable] = {
    "subscript": lambda one: one[0],
    "slice": lambda one: one[0:1],
    "iterate": lambda one: list(one),
    "unpack": unpack,
    "len": len,
    "await": lambda one: asyncio.run(wait(one)),
    "async-iterate": lambda one: asyncio.run(gather(one)),
}
OBJECTS: dict[str, tuple[Callable, Value]] = {
    "None": (lambda: None, NONE),
    "int": (lambda: 3, Const(3)),
    "str": (lambda: "ab", Const("ab")),
    "pair": (lambda: (1, 2), TupleOf((Const(1), Const(2)))),
    "triple": (lambda: (1, 2, 3), TupleOf((Const(1), Const(2), Const(3)))),
    "list": (lambda: [1, 2], Container("list", UNKNOWN)),
    "set": (lambda: {1, 2}, Container("set", UNKNOWN)),
    "dict": (lambda: {0: 1, 1: 2}, DictOf()),
    "generator": (lambda: (n for n in (1, 2)), Container("generator", UNKNOWN)),
    "async generator": (numbers, Container("async_generator", UNKNOWN)),
    "coroutine": (number, Coroutine(UNKNOWN)),
}


def fails(how: str, made: object) -> bool:
    """Whether Python refuses the operation on an object."""
    try:
        DONE[how](made)
    except (TypeError, ValueError):
        return True
    finally:
        if asyncio.iscoroutine(made):
            made.close()
    return False


@pytest.mark.parametrize("how", DONE)
@pytest.mark.parametrize(("make", "value"), OBJECTS.values(), ids=OBJECTS)
def test_what_raises(make, value, how):
    answer = raises(world({"gantry/__init__.py": ""}), how, value, 2 if how == "unpack" else None)
    assert bool(answer) is fails(how, make())
