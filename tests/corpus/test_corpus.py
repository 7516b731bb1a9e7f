"""Real incidents are found where they broke and nowhere else; right code stays quiet."""

import pytest
from corpus.cases import PENDING, QUICK, compatible_pairs, idioms, incidents
from corpus.judge import judge_incident, judge_quiet

pytestmark = [pytest.mark.corpus, pytest.mark.network]


def params(cases):
    return [
        pytest.param(case, id=case.id, marks=() if case.id in QUICK else pytest.mark.slow) for case in cases
    ]


def told(outcome) -> str:
    return "\n  ".join(["", *outcome.problems])


@pytest.mark.parametrize("case", params(incidents()))
def test_incident(case):
    outcome = judge_incident(case)
    if case.id in PENDING and outcome.problems:
        pytest.xfail(f"{PENDING[case.id]}: {told(outcome)}")
    assert not outcome.problems, told(outcome)
    assert case.id not in PENDING, "found now: remove it from PENDING"


@pytest.mark.parametrize("case", params(idioms()))
def test_right_idiom_is_quiet(case):
    outcome = judge_quiet(case)
    if case.refs and outcome.absent == list(case.refs):
        pytest.skip("its files are in no import package of the release")
    assert not outcome.problems, told(outcome)


@pytest.mark.parametrize("case", params(compatible_pairs()))
def test_compatible_pair_is_quiet(case):
    outcome = judge_quiet(case)
    assert not outcome.problems, told(outcome)
