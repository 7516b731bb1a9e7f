"""Results of models with routers, judged by rows."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from driftcheck.rulesdb import rules_roots

BOUND, MEDIAN = 0.05, 0.2


class Step:
    """What a driver's step is to the comparison."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.figures: dict[str, object] = {}

    def figure(self, name: str, value: object) -> None:
        self.figures[name] = value

    def expect(self, holds: bool, otherwise: str) -> bool:
        self.problems += [] if holds else [otherwise]
        return holds

    def within(self, name: str, value: float, bound: float) -> bool:
        self.figures[name] = value
        return self.expect(value <= bound, f"{name} {value:.2g} is over {bound:g}")


@pytest.fixture(scope="module")
def comparing() -> ModuleType:
    path = next(iter(rules_roots(()))) / "vllm" / "scenarios" / "comparing.py"
    spec = importlib.util.spec_from_file_location("comparing_rows", Path(path))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judged(comparing: ModuleType, *results: tuple[list[float], list[float]]) -> Step:
    rows, step = comparing.Rows(BOUND, MEDIAN), Step()
    for errors, of_reference in results:
        rows.add(errors, of_reference)
    rows.check(step)
    return step


RIGHT = [0.008] * 30


def test_rounding_alone(comparing: ModuleType) -> None:
    assert judged(comparing, (RIGHT, RIGHT)).problems == []


def test_a_few_changed_routes_on_other_rows(comparing: ModuleType) -> None:
    step = judged(comparing, ([*RIGHT, 0.6, 0.3], [0.4, *RIGHT, 0.01]))
    assert step.problems == []
    assert step.figures["rows over the bound"] == "2 of 32"
    assert step.figures["of transformers in the same dtype"] == "1 of 32"


def test_one_whole_result_that_is_another_s(comparing: ModuleType) -> None:
    (problem,) = judged(comparing, (RIGHT, RIGHT), ([0.4, 0.9, 1.1], [0.01] * 3)).problems
    assert "worst median error of a result's rows 0.9 is over 0.2" in problem


def test_more_rows_than_routes_explain(comparing: ModuleType) -> None:
    (problem,) = judged(comparing, ([*RIGHT, *[0.5] * 14], [*RIGHT, *[0.01] * 13, 0.5])).problems
    assert "14 of 44 rows are over 0.05; 1 of transformers' own" in problem


def test_what_is_no_number_is_wrong(comparing: ModuleType) -> None:
    assert judged(comparing, ([float("nan")] * 3, [0.01] * 3)).problems
