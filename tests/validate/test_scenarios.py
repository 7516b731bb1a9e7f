"""Scenario files: strict, and every one that is shipped loads."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from driftcheck.rulesdb import RulesError
from driftcheck.validate.errors import ValidateError
from driftcheck.validate.scenario import find_sanity, find_scenario, load_scenario, scenario_files

GOOD = """
name = "s"
title = "t"
driver = "d.py"
[provider]
module = "lib"
distributions = ["lib"]
[devices.cpu]
"""


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_shipped_scenarios_load(path: Path) -> None:
    scenario = load_scenario(path)
    assert scenario.name == path.stem
    find_sanity(scenario)
    compile((path.parent / scenario.driver).read_text("utf-8"), scenario.driver, "exec")


def made(tmp_path: Path, text: str) -> Path:
    (tmp_path / "d.py").write_text("def drive(run): ...\n")
    path = tmp_path / "s.toml"
    path.write_text(text)
    return path


def test_a_good_one(tmp_path: Path) -> None:
    assert find_scenario(str(made(tmp_path, GOOD))).drive().seconds == 300


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD.replace("title", "tittle"), "title"),
        (GOOD.replace("d.py", "e.py"), "no such file beside"),
        (GOOD.replace("d.py", "../d.py"), "no such file beside"),
        (GOOD.replace("[devices.cpu]", ""), "devices"),
        (GOOD + "[bounds.float32]\nvalue = 1.0\n", "reason"),
        (GOOD + '[[steps]]\nname = "a"\n[[steps]]\nname = "a"\n', "same name"),
        (GOOD + '[[steps]]\nname = "a"\ngroup = "core-ish"\n', "core, limits"),
        (GOOD + '[parameters]\nsize = "1"\n[choices]\nsize = ["2"]\n', "size is no parameter with one of"),
        (GOOD + '[choices]\nsize = ["2"]\n', "size is no parameter with one of"),
    ],
)
def test_bad_ones_are_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(RulesError, match=problem):
        load_scenario(made(tmp_path, text))


def test_an_unknown_name_gets_a_proposal() -> None:
    with pytest.raises(ValidateError, match="did you mean hidden-states"):
        find_scenario("hidden-state")


def test_batches_are_as_large_as_their_names_say() -> None:
    path = find_scenario("hidden-states").directory / "hidden_states.py"
    tree = ast.parse(path.read_text("utf-8"))
    named = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    lengths = eval(compile(ast.Expression(named["MANY_MIXED"]), "lengths", "eval"), {"range": range})
    assert len(lengths) <= 32
    assert sum(lengths) > 8192
