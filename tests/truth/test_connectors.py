"""hs-connectors 0.9.0, which declares no vLLM requirement: clean where it works, missing names before."""

import pytest
from corpus.session import describe, shown

pytestmark = pytest.mark.network

CONSUMER = "hs-connectors==0.9.0"
FP8 = "hs_connectors/fp8_hidden_states_connector.py"
MOONCAKE = "hs_connectors/mooncake_hidden_states_connector.py"

# Each place as (path, first line, last line) of the statement that names what is missing.
MODULE_BY_NAME = (FP8, 23, 25)  # from …v1 import example_hidden_states_connector
MODULE = (MOONCAKE, 25, 28)  # from …v1.example_hidden_states_connector import …
BACKEND = (MOONCAKE, 31, 31)  # from vllm.v1.attention.backend import AttentionMetadata
SPEC = (MOONCAKE, 88, 88)  # inside a function: HiddenStateCacheSpec
LAYER = (MOONCAKE, 231, 233)  # inside a function: …models.extract_hidden_states

WORKS = ("0.28.0", "0.32.0", "0.33.0")
MISSING = {
    "0.12.0": (MODULE_BY_NAME, MODULE, BACKEND, SPEC, LAYER),
    "0.13.0": (MODULE_BY_NAME, MODULE, BACKEND, SPEC, LAYER),
    "0.14.1": (MODULE_BY_NAME, MODULE, SPEC, LAYER),
    "0.16.0": (MODULE_BY_NAME, MODULE, SPEC, LAYER),
    "0.18.1": (SPEC,),
    "0.19.1": (SPEC,),
    "0.20.2": (SPEC,),
    "0.22.1": (),
    "0.25.1": (),
}
NAMES = ("DC101", "DC102", "DC103")


def place_of(finding, places):
    return next((p for p in places if p[0] == finding.path and p[1] <= finding.line <= p[2]), None)


@pytest.mark.parametrize(
    "target", [WORKS[0], pytest.param(WORKS[1], marks=pytest.mark.slow), pytest.param(WORKS[2])]
)
def test_nothing_where_it_works(report, target):
    found = report(CONSUMER, f"vllm=={target}")
    assert not shown(found), describe(shown(found))


@pytest.mark.parametrize(
    "target", [pytest.param(t, marks=() if t == "0.16.0" else pytest.mark.slow) for t in MISSING]
)
def test_missing_names(report, target):
    found = [f for f in shown(report(CONSUMER, f"vllm=={target}")) if f.code in NAMES]
    places = MISSING[target]
    assert {place_of(f, places) for f in found} == set(places), describe(found)


def test_without_a_known_good_nothing_is_called_introduced(report):
    found = report(CONSUMER, "vllm==0.16.0")
    assert found.known_good is None
    assert {f.status for f in shown(found)} == {"unknown"}
