"""Recorded runs of the real provider: mapping and verdicts replayed from what the attempts left."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from driftcheck.validate.html import html_report
from driftcheck.validate.portable.results import Results, load_results
from driftcheck.validate.portable.summary import text_summary
from driftcheck.validate.portable.verdicts import replay

RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "validation"
RUNS = sorted(RECORDED.glob("*.cpu.json")) + sorted(RECORDED.glob("*.cuda*.json"))


def replayed(path: Path) -> Results:
    results = load_results(path)
    for attempt in results.attempts:
        for failure in attempt.failures:
            failure.claims = []
    replay(results)
    return results


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_a_replay_says_what_the_run_said(path: Path) -> None:
    recorded, again = load_results(path), replayed(path)
    assert again.verdicts == recorded.verdicts
    assert text_summary(again) == text_summary(recorded)
    assert "<h2>Attempts</h2>" in html_report(again)


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_nothing_of_a_machine_is_kept(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search(r"(?<![\w.>])/(root|home|tmp|usr|opt|work|Users)/", text)
    json.loads(text)


def told(results: Results, code: str, line: int) -> str:
    (claim,) = [one for one in results.plan.claims if (one.code, one.line) == (code, line)][:1]
    return results.verdicts.claims[claim.id].verdict


@pytest.fixture(scope="module")
def all_seven() -> Results:
    return replayed(RECORDED / "speculators-0.3.0-on-vllm-0.16.0.cpu.json")


def test_seven_drifts_are_confirmed(all_seven: Results) -> None:
    places = [("DC202", 194), ("DC201", 139), ("DC202", 148), ("DC103", 30), ("DC406", 166), ("DC402", 273)]
    for code, line in [*places, ("DC405", 261), ("DC401", 271)]:
        assert told(all_seven, code, line) == "confirmed", (code, line)
    chunk = next(one for one in all_seven.plan.claims if "chunked_prefill" in one.symbol)
    assert all_seven.verdicts.claims[chunk.id].verdict == "silent-confirmed"
    assert all_seven.verdicts.missed == []


def test_eight_fixes_are_necessary_and_together_enough(all_seven: Results) -> None:
    cures = all_seven.plan.cures
    assert len(cures) == 8
    for fix in cures:
        assert all_seven.verdicts.fixes[fix.id].words == ["necessary", "sufficient"], fix.id
    every = all_seven.with_fixes([fix.id for fix in cures])
    assert every is not None
    assert every.status == "passed"


def test_two_cures_are_refuted(all_seven: Results) -> None:
    assert all_seven.verdicts.fixes["async-off"].words == ["insufficient"]
    assert all_seven.verdicts.fixes["block-hasher"].words == ["harmful", "insufficient"]


def test_the_chain_is_that_of_the_seven_failures(all_seven: Results) -> None:
    kinds = [link.failure.partition(":")[0] for link in all_seven.chain]
    assert kinds[:7] == [
        "ValidationError",
        "TypeError",
        "TypeError",
        "AttributeError",
        "AssertionError",
        "RuntimeError",
        "RuntimeError",
    ]
    assert all_seven.chain[-1].failure == ""
