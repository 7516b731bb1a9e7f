"""hs-connectors 0.9.0 below vLLM's connector: what it overrides, and what nothing calls."""

import pytest
from corpus.session import describe

pytestmark = pytest.mark.network

CONSUMER = "hs-connectors==0.9.0"
KNOWN_GOOD = "vllm==0.22.1"


def held(report, target):
    """The findings about subclasses, patches and strings."""
    found = report(CONSUMER, f"vllm=={target}", KNOWN_GOOD).findings
    return [f for f in found if f.code.startswith(("DC105", "DC106", "DC3"))]


@pytest.mark.parametrize("target", ["0.20.2", pytest.param("0.18.1", marks=pytest.mark.slow)])
def test_the_writing_hook_is_silently_dead(report, target):
    found = held(report, target)
    assert [(f.code, f.severity, f.confidence, f.status, f.line) for f in found] == [
        ("DC303", "warning", "certain", "introduced", 41)
    ], describe(found)
    assert found[0].symbol.endswith("ExampleHiddenStatesConnector._write_tensors")


@pytest.mark.parametrize("target", ["0.32.0", pytest.param("0.33.0", marks=pytest.mark.slow)])
def test_a_preference_that_nobody_asks_for_is_a_note(report, target):
    found = held(report, target)
    assert [(f.code, f.severity, f.line) for f in found] == [("DC303", "note", 75)], describe(found)


@pytest.mark.parametrize("target", ["0.25.1", pytest.param("0.28.0", marks=pytest.mark.slow)])
def test_nothing_where_it_works(report, target):
    found = held(report, target)
    assert not found, describe(found)


def test_the_conflict_of_requirements(report):
    found = report("speculators==0.4.0", "vllm==0.28.0", "vllm==0.16.0").findings
    conflicts = [f for f in found if f.code == "DC502"]
    assert "transformers" in {f.symbol for f in conflicts}, describe(found)
    assert {f.severity for f in conflicts} == {"warning"}
    assert "vllm" not in {f.symbol for f in conflicts}
