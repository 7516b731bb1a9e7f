"""Taking results apart in the order of handing in."""

import ast
import textwrap

import pytest

from driftcheck.infer.order import handed_in, taken_apart

ADD = "for x in loads:\n    crane.add(x)\nout = crane.run()\n"


def assumed(rest: str) -> list[str]:
    """The expressions after adding each of ``loads`` and running that assume the order."""
    body = textwrap.indent(ADD + rest, "    ")
    function = ast.parse(f"def f(crane, loads):\n{body}").body[0]
    assert isinstance(function, ast.FunctionDef)
    calls = {ast.unparse(n): n for n in ast.walk(function) if isinstance(n, ast.Call)}
    given, run = calls["crane.add(x)"], calls["crane.run()"]
    order = handed_in(function, given)
    return [ast.unparse(n) for n in taken_apart(function, order, {run}, given.lineno)]


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ("at = 0\nfor x in loads:\n    out[at : at + len(x)]\n    at += len(x)\n", ["out[at:at + len(x)]"]),
        ("sizes = [len(x) for x in loads]\nparts = torch.split(out, sizes)\n", ["torch.split(out, sizes)"]),
        ("sizes = [len(x) for x in loads]\nparts = out.split(sizes)\n", ["out.split(sizes)"]),
        (
            "again = list(loads)\nsizes = [len(x) for x in again]\nparts = out.split(sizes)\n",
            ["out.split(sizes)"],
        ),
        ("copied = copy(out)\nnamed = dict(zip(loads, copied))\n", ["zip(loads, copied)"]),
        ("pairs = list(zip(loads, out))\n", ["zip(loads, out)"]),
        ("for n, x in enumerate(loads):\n    out[n]\n", ["out[n]"]),
        ("for n in range(len(loads)):\n    out[n]\n", ["out[n]"]),
        ("for n, x in enumerate(loads):\n    loads[n]\n", []),
        ("for x in loads:\n    out[x]\n", []),
        ("at = 0\nfor y in out:\n    y[at : at + 1]\n    at += 1\n", []),
        ("zip(loads, loads)\n", []),
        ("zip(out, out)\n", []),
        ("for x in loads:\n    out[0]\n    out[0:4]\n", []),
        ("'a,b'.split(',')\n", []),
    ],
)
def test_by_position(rest, found):
    assert assumed(rest) == found


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ("for x in loads:\n    crane.add(x)\n", {"loads"}),
        ("for n, x in enumerate(loads):\n    crane.add(x)\n", {"loads"}),
        ("[crane.add(x) for x in loads]\n", {"loads"}),
        ("keys = list(crane.add(x) for x in loads if x)\n", {"loads"}),
        ("crane.add(loads)\n", {"loads"}),
        ("crane.add(batch=list(loads))\n", {"loads"}),
        ("for x in crane.add(loads):\n    print(x)\n", {"loads"}),
        ("for x in others:\n    print(x)\ncrane.add(loads)\n", {"loads"}),
    ],
)
def test_the_order_of_handing_in(body, order):
    function = ast.parse(f"def f(crane, loads, others):\n{textwrap.indent(body, '    ')}").body[0]
    assert isinstance(function, ast.FunctionDef)
    call = next(
        n for n in ast.walk(function) if isinstance(n, ast.Call) and ast.unparse(n.func) == "crane.add"
    )
    assert handed_in(function, call) == order
