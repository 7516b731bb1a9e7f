"""When a call of the consumer is reached again on the same object."""

import ast
import textwrap

import pytest
from behaviour.making import world

from driftcheck.infer.repeats import repeat_of


def repeat(source: str):
    """How the call marked ``lift`` in a consumer's module is reached again."""
    of = world({"gantry/__init__.py": ""}, {"dock/__init__.py": textwrap.dedent(source)})
    module = of.consumer.module("dock")
    assert module is not None
    calls = [
        node
        for node in ast.walk(module.source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "lift"
    ]
    return repeat_of(of, module, calls[0])


COMES_BACK = {
    "for": "def f(c, xs):\n    for x in xs:\n        c.lift(x)\n",
    "while test": "def f(c):\n    while c.lift(1):\n        pass\n",
    "walrus": "def f(c):\n    while (x := c.lift(1)):\n        print(x)\n",
    "comprehension": "def f(c, xs):\n    return [c.lift(x) for x in xs]\n",
    "continue": "def f(c, xs):\n    for x in xs:\n        c.lift(x)\n        continue\n",
    "one branch leaves": "def f(c, xs):\n    for x in xs:\n        c.lift(x)\n        if x:\n            break\n",
    "inside with and if": "def f(c, xs):\n    for x in xs:\n        with x:\n            if x:\n                c.lift(x)\n",
    "inner loop breaks": "def f(c, xs):\n    for x in xs:\n        for y in x:\n            c.lift(y)\n            break\n",
    "in a try that goes on": "def f(c, xs):\n    for x in xs:\n        try:\n            c.lift(x)\n        except OSError:\n            break\n        finally:\n            g()\n",
    "in the last step": "def f(c, xs):\n    for x in xs:\n        try:\n            g()\n        finally:\n            c.lift(x)\n",
    "tried, and then something else": "def f(c, xs):\n    for x in xs:\n        try:\n            c.lift(x)\n        except OSError:\n            break\n        else:\n            g()\n",
    "called in a loop": "def g(c):\n    STORE.lift(1)\ndef f(xs):\n    for x in xs:\n        g(x)\n",
}
DOES_NOT = {
    "no loop": "def f(c):\n    c.lift(1)\n",
    "new object": "def f(xs):\n    for x in xs:\n        c = make()\n        c.lift(x)\n",
    "loop variable": "def f(cs):\n    for c in cs:\n        c.lift(1)\n",
    "attribute of loop variable": "def f(cs):\n    for c in cs:\n        c.crane.lift(1)\n",
    "break": "def f(c, xs):\n    for x in xs:\n        c.lift(x)\n        break\n",
    "return": "def f(c, xs):\n    for x in xs:\n        if x:\n            return c.lift(x)\n",
    "both branches leave": "def f(c, xs):\n    for x in xs:\n        c.lift(x)\n        if x:\n            break\n        else:\n            return\n",
    "in the iterable": "def f(c):\n    for x in c.lift(1):\n        pass\n",
    "in orelse": "def f(c, xs):\n    for x in xs:\n        pass\n    else:\n        c.lift(1)\n",
    "in a handler that leaves": "def f(c, xs):\n    for x in xs:\n        try:\n            g()\n        except OSError:\n            c.lift(x)\n            raise\n",
    "tried until it works": "def f(c, xs):\n    for x in xs:\n        try:\n            c.lift(x)\n        except OSError:\n            continue\n        else:\n            break\n",
    "in a handler, and the last step leaves": "def f(c, xs):\n    for x in xs:\n        try:\n            g()\n        except OSError:\n            c.lift(x)\n        finally:\n            return\n",
    "before a try whose last step leaves": "def f(c, xs):\n    for x in xs:\n        c.lift(x)\n        try:\n            g()\n        finally:\n            return\n",
    "the last step leaves": "def f(c, xs):\n    for x in xs:\n        try:\n            c.lift(x)\n        finally:\n            return\n",
    "on self": "class A:\n    def f(self, xs):\n        for x in xs:\n            self.lift(x)\n",
    "constructor": "class A:\n    def __init__(self):\n        self.c.lift(1)\n",
    "assigned in the method": "class A:\n    def f(self):\n        self.c = make()\n        self.c.lift(1)\n",
}


@pytest.mark.parametrize("source", COMES_BACK.values(), ids=COMES_BACK)
def test_it_comes_back(source):
    found = repeat(source)
    assert found is not None
    assert not found.by_callers


@pytest.mark.parametrize("source", DOES_NOT.values(), ids=DOES_NOT)
def test_it_does_not(source):
    assert repeat(source) is None


def test_a_public_method_may_be_called_twice():
    found = repeat("class A:\n    def f(self):\n        self.c.lift(1)\n")
    assert found is not None
    assert found.by_callers
