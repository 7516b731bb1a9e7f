"""Recorded runs of the real provider: mapping and verdicts replayed from what the attempts left."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from driftcheck.validate.html import html_report
from driftcheck.validate.portable.outcome import Attempt
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


def recorded(name: str) -> Results:
    return replayed(RECORDED / f"speculators-{name}.cpu.json")


def with_all(results: Results) -> Attempt:
    found = results.with_fixes([fix.id for fix in results.plan.cures])
    assert found is not None
    return found


def test_the_fixes_are_those_of_the_analysis(all_seven: Results) -> None:
    assert [fix.id for fix in all_seven.plan.cures] == [
        claim for fix in all_seven.plan.cures for claim in fix.claims[:1]
    ]


def test_known_good_works_and_its_own_bug_is_named() -> None:
    results = recorded("0.3.0-on-vllm-0.11.0")
    assert results.verdicts.overall == "works"
    bugs = results.verdicts.consumer_bugs
    assert bugs and all("over 8192 tokens" in bug and "on known-good too" in bug for bug in bugs)


def test_the_later_consumer_works_unmodified() -> None:
    results = recorded("0.4.0-on-vllm-0.16.0")
    assert results.verdicts.overall == "works"
    assert results.plan.fixes == []


@pytest.mark.parametrize("name", ["0.3.0-on-vllm-0.28.0", "0.4.0-on-vllm-0.28.0"])
def test_on_a_much_later_release_the_fixes_are_enough(name: str) -> None:
    results = recorded(name)
    assert any("transformers" in one for one in results.verdicts.outside)
    assert results.verdicts.all_sufficient is True
    assert results.verdicts.missed == []


def test_two_workers_and_the_first_alone_captures() -> None:
    results = recorded("0.4.0-on-vllm-0.28.0-two-workers")
    assert results.plan.scenario.parameters["tensor-parallel-size"] == "2"
    step = next(one for one in with_all(results).steps if one.name == "every worker")
    assert step.status == "passed"
    assert (step.figures["workers"], step.figures["calls captured"]) == (2, 4)
    assert step.figures["questions that each worker ran"] == "3, 3"


def test_a_single_reply_was_a_list_and_is_the_value() -> None:
    forms = {}
    for name in ("0.3.0-on-vllm-0.11.0", "0.4.0-on-vllm-0.16.0"):
        attempt = recorded(name).with_fixes([])
        assert attempt is not None
        forms[name] = next(one.figures for one in attempt.steps if one.name == "every worker")
    assert [one["a single reply is"] for one in forms.values()] == ["a list of one", "the value itself"]


def test_a_vision_model_needs_two_more_edits() -> None:
    results = recorded("0.3.0-on-vllm-0.16.0-vision")
    assert results.plan.scenario.parameters["family"] == "qwen3-vl"
    for code, line in (("DC103", 107), ("DC304", 17)):
        assert told(results, code, line) == "confirmed", (code, line)
    chain = {link.fix: link.failure for link in results.chain}
    assert "has no attribute 'model'" in chain["language-model"]
    assert "unexpected keyword argument 'deepstack_input_embeds'" in chain["forward-keywords"]
    assert with_all(results).core_passed
