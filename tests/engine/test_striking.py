"""Findings are told in the order in which they strike, as far as the consumer's code tells it."""

from pathlib import Path

from driftcheck.engine.examine import check
from driftcheck.model import Report
from driftcheck.sources import open_tree

OLD = "class Box:\n    def __init__(self): ...\n    def fill(self, a): ...\n    def drop(self): ...\ndef pack(x): ...\n"
NEW = "class Box:\n    def __init__(self, size): ...\n    def fill(self): ...\ndef stow(x): ...\n"
USER = """\
import crate


class Store:
    def ship(self):
        self._send(self._boxed())

    def _send(self, box):
        box.drop()

    def __init__(self):
        self._prepare()

    def _boxed(self):
        self.box.fill(crate.pack(1))
        return self.box

    def _prepare(self):
        self.box = crate.Box()


def alone():
    crate.pack(2)
"""


def report(root: Path, user: str) -> Report:
    for name, text in (("old/crate.py", OLD), ("new/crate.py", NEW), ("user/store.py", user)):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    trees = [
        open_tree(str(root / one), role=role)
        for one, role in (("user", "consumer"), ("new", "provider"), ("old", "provider"))
    ]
    return check(*trees)


def test_the_constructor_strikes_first_and_arguments_before_their_call(tmp_path: Path) -> None:
    found = report(tmp_path, USER)
    assert [(chain.function, [step.line for step in chain.steps]) for chain in found.strikes] == [
        ("store.Store.ship", [19, 15, 15, 9])
    ]
    assert [step.code for step in found.strikes[0].steps] == ["DC202", "DC102", "DC203", "DC103"]


def test_functions_that_do_not_call_each_other_have_no_order(tmp_path: Path) -> None:
    user = "import crate\n\n\ndef a():\n    crate.pack(1)\n\n\ndef b():\n    crate.Box()\n"
    found = report(tmp_path, user)
    assert len(found.findings) == 2
    assert found.strikes == ()


def test_functions_that_call_each_other_end(tmp_path: Path) -> None:
    user = (
        "import crate\n\n\ndef a(n):\n    crate.pack(1)\n    b(n)\n\n\ndef b(n):\n    crate.Box()\n"
        "    if n:\n        a(n - 1)\n\n\ndef start():\n    a(3)\n"
    )
    found = report(tmp_path, user)
    assert [[step.line for step in chain.steps] for chain in found.strikes] == [[5, 10]]
