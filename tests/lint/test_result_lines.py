"""An edit of comments and blank lines moves the findings; it does not make the work again."""

from collections.abc import Callable

import pytest
from lint.project import Project

from driftcheck.engine.code_lines import code_lines

SOURCE = '''\
"""About docks.

Two lines.
"""
from gantry import lift


lift(  # by night
    "crate", fast=True)
'''
EDITS = [
    SOURCE.replace("from gantry", "\n# the crane\n\nfrom gantry"),
    SOURCE.replace("\n\n\nlift", "\nlift"),
    SOURCE.replace("  # by night", "  # by day, too"),
    SOURCE + "\n# end\n",
    SOURCE.replace("fast=True)", "fast=True)  # drift: ignore[DC201] tested"),
    "# drift: ignore-file\n" + SOURCE,
]
CHANGES = [
    SOURCE.replace("fast=True", "fast=False"),
    SOURCE.replace("Two lines.\n", "Two lines.\n\n"),
    SOURCE.replace("\nlift(", "\nif True:\n  lift("),
    SOURCE.replace('    "crate"', '     "crate"'),
    SOURCE + "x = 1\n",
    "# -*- coding: latin-1 -*-\n" + SOURCE,
]


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, an answer that is not in the cache is an error."""

    def refuse(*arguments: object) -> None:
        raise AssertionError("worked out again")

    return lambda: monkeypatch.setattr("driftcheck.engine.examine._worked_out", refuse)


@pytest.mark.parametrize("edited", EDITS)
def test_the_answer_moves_with_the_code(project: Project, no_work: Callable[[], None], edited: str) -> None:
    project.write("src/dock/__init__.py", SOURCE)
    assert [one["line"] for one in project.report()["findings"]] == [9]
    project.write("src/dock/__init__.py", edited)
    cold = project.report("--no-cache")
    no_work()
    assert project.report() == cold


@pytest.mark.parametrize("edited", CHANGES)
def test_other_edits_are_worked_out_again(project: Project, edited: str) -> None:
    project.write("src/dock/__init__.py", SOURCE)
    project.report()
    project.write("src/dock/__init__.py", edited)
    assert project.report() == project.report("--no-cache")
    old, new = code_lines(SOURCE.encode()), code_lines(edited.encode())
    assert old is not None and (new is None or new.digest != old.digest)


def test_the_edits_of_a_fix_move_too(project: Project) -> None:
    project.write("src/dock/__init__.py", SOURCE)
    project.report()
    project.write("src/dock/__init__.py", "# one\n# two\n" + SOURCE)
    warm = project.report()["findings"][0]["fix"]["edits"]
    assert warm == project.report("--no-cache")["findings"][0]["fix"]["edits"]
    assert [one["line"] for one in warm] == [11]
