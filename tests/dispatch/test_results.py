"""What comes back from a method that is named by a string, as its contract and the provider's body say."""

import pytest

from driftcheck.infer.evaluator import Evaluator
from driftcheck.infer.values import Const, Container, External, Instance
from driftcheck.rulesdb.contracts import ClassPath, Dispatch, Reply

POOL = """
class Mailbox:
    def take(self, timeout=None):
        return self.raw.read(timeout)


class Crane:
    def name(self) -> str:
        return self.title


class Pool:
    def __init__(self):
        self.box: Mailbox = Mailbox()
        self.boxes = [self.box]

    def ask_all(self, method, args=()):
        answers = []
        for box in self.boxes:
            status, answer = box.take()
            answers.append(answer)
        return answers

    def ask_one(self, method, args=()):
        status, answer = self.box.take()
        return answer

    def ask(self, method, args=(), only=None):
        return self.ask_one(method) if only is not None else self.ask_all(method)

    async def ask_later(self, method, args=()):
        return self.ask_one(method)
"""

DOCK = """
from gantry import Pool

POOL = Pool()


class Helper:
    def count(self, factor=1):
        return 7

    def words(self):
        return ["a", "b"]
"""

MIXIN = ClassPath(
    id="m",
    library="gantry",
    evidence=("gantry",),
    reason="r",
    parameter="gantry.run.helper",
    into=("gantry.Crane",),
)
USE = "\nconfig = dict(helper=__name__ + '.Helper')\n"


def contract(**more) -> Dispatch:
    methods = ("gantry.Pool.ask_all", "gantry.Pool.ask_one", "gantry.Pool.ask", "gantry.Pool.ask_later")
    reply = (Reply(call="gantry.Mailbox.take", index=1, size=2),)
    return Dispatch(
        id="d",
        library="gantry",
        evidence=("gantry",),
        reason="r",
        methods=methods,
        targets=("gantry.Crane",),
        kwargs="",
        reply=reply,
        **more,
    )


def value(world, expression: str, *contracts):
    made = world({"gantry/__init__.py": POOL}, {"dock/__init__.py": DOCK + USE}, *contracts)
    module = made.module("dock")
    import ast

    return Evaluator(made, made.module_scope(module)).eval(ast.parse(expression, mode="eval").body)


STR = Instance(External("builtins.str"))


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("POOL.ask_one('count')", Const(7)),
        ("POOL.ask_all('count')", Container("list", Const(7))),
        ("POOL.ask('count', only=0)", Const(7)),
        ("POOL.ask('count')", Container("list", Const(7))),
        ("POOL.ask_one('name')", STR),
        ("POOL.ask_all(method='name')", Container("list", STR)),
    ],
)
def test_the_body_says_whether_one_result_comes_back_or_a_list(world, expression, wanted):
    assert value(world, expression, contract(), MIXIN) == wanted


def test_a_contract_may_say_what_no_body_shows(world):
    assert value(world, "POOL.ask('count')", contract(result="list", single="only"), MIXIN) == Container(
        "list", Const(7)
    )
    assert value(world, "POOL.ask('count', only=0)", contract(result="list", single="only"), MIXIN) == Const(
        7
    )


def test_without_contracts_a_name_says_nothing(world):
    assert value(world, "POOL.ask_one('count')") != Const(7)


@pytest.mark.parametrize(
    "given",
    [
        "config = dict(helper='dock.Helper')",
        "config = {'helper': f'{Helper.__module__}.{Helper.__qualname__}'}",
        "config = object()\nconfig.helper = 'dock:Helper'",
        "PATH = 'dock' + '.Helper'\nconfig = {}\nconfig['helper'] = PATH",
        "config = {}\nconfig.setdefault('helper', 'dock.Helper')",
    ],
)
def test_ways_to_name_a_class(world, given):
    import ast

    made = world({"gantry/__init__.py": POOL}, {"dock/__init__.py": DOCK + given + "\n"}, contract(), MIXIN)
    scope = made.module_scope(made.module("dock"))
    assert Evaluator(made, scope).eval(ast.parse("POOL.ask_one('count')", mode="eval").body) == Const(7)
