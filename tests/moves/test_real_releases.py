"""Real incidents whose consumer cannot be fetched: code of the same shape on the real provider's releases."""

import pytest
from corpus.session import describe, release
from moves.making import tree

from driftcheck.engine import CheckOptions, check

pytestmark = [pytest.mark.network, pytest.mark.slow]


def found(source: str, target: str, known_good: str | None):
    """What is found in one file of a consumer on a vLLM release, as (line, code, status) with the message."""
    report = check(
        tree("dock", "1", {"dock.py": source}),
        release(f"vllm=={target}", "provider"),
        release(f"vllm=={known_good}", "provider") if known_good else None,
        options=CheckOptions(),
    )
    return [finding for finding in report.findings if finding.confidence != "possible"]


# Each: the consumer, the release that broke it, the one that worked, and what must be found: line, code,
# severity, a part of the message. Nothing else may be.
BREAKS = {
    "a class that its last release announced the end of": (
        "from vllm.sampling_params import GuidedDecodingParams\n\nGuidedDecodingParams(json='{}')\n",
        "0.12.0",
        "0.11.0",
        [(1, "DC102", "error", "StructuredOutputsParams")],
    ),
    "a name that went to another package": (
        "from vllm.entrypoints.openai.engine.protocol import ErrorResponse\n",
        "0.29.0",
        "0.28.0",
        [(1, "DC101", "error", "vllm.entrypoints.serve.engine.protocol")],
    ),
    "a module that became a package under another name": (
        "from vllm.distributed.kv_transfer.kv_connector.v1.nixl_connector import NixlConnector\n",
        "0.20.2",
        "0.19.1",
        [(1, "DC101", "error", "kv_connector.v1.nixl")],
    ),
    "a module that was dropped": (
        "from vllm.v1.executor.ray_distributed_executor import RayDistributedExecutor\n",
        "0.20.2",
        "0.19.1",
        [(1, "DC101", "error", "no module vllm.v1.executor.ray_distributed_executor")],
    ),
    "a class that became a function": (
        "from vllm.model_executor.layers.fused_moe.layer import FusedMoE\n\n\n"
        "class Quantised(FusedMoE):\n    pass\n\n\n"
        "def is_moe(layer):\n    return isinstance(layer, FusedMoE)\n",
        "0.25.1",
        "0.23.0",
        [(4, "DC104", "error", "FusedMoE is a function"), (9, "DC104", "error", "FusedMoE is a function")],
    ),
    "new required fields of a dataclass": (
        "from vllm.model_executor.layers.fused_moe.config import FusedMoEParallelConfig\n\n"
        "FusedMoEParallelConfig(1, 1, 1, 1, 0, 0, 0, 0, False, 'naive')\n",
        "0.16.0",
        "0.14.1",
        [(3, "DC202", "error", "is_sequence_parallel, enable_eplb")],
    ),
    "a package that moved, told once": (
        "from vllm.attention.backends.abstract import AttentionMetadata\n"
        "from vllm.attention.backends.registry import AttentionBackendEnum\n",
        "0.16.0",
        "0.13.0",
        [(1, "DC101", "error", "vllm.v1.attention")],
    ),
}

NOTES = {
    "a keyword that is popped and ignored": (
        "from vllm import LLM\n\nLLM('m', swap_space=4)\n",
        "0.20.2",
        "0.16.0",
        [(3, "DC108", "note", "swap_space of LLM() is deprecated")],
    ),
    "a name that only a module's __getattr__ serves": (
        "from vllm.transformers_utils.tokenizer import get_tokenizer\n",
        "0.16.0",
        "0.11.0",
        [(1, "DC108", "note", "use vllm.tokenizers.get_tokenizer")],
    ),
    "a class that is still there": (
        "from vllm.sampling_params import GuidedDecodingParams\n\nGuidedDecodingParams(json='{}')\n",
        "0.11.0",
        "0.10.2",
        [(3, "DC108", "note", "StructuredOutputsParams")],
    ),
}


@pytest.mark.parametrize("name", [*BREAKS, *NOTES])
def test_incident(name):
    source, target, known_good, wanted = {**BREAKS, **NOTES}[name]
    findings = found(source, target, known_good)
    seen = [(f.line, f.code, f.severity) for f in findings]
    assert seen == [one[:3] for one in wanted], describe(findings)
    for finding, (*_, said) in zip(findings, wanted, strict=True):
        assert said in finding.message, describe(findings)
        assert finding.status == "introduced", describe(findings)
    assert [f for f in found(source, known_good, known_good) if f.severity != "note"] == []


def test_what_is_kept_as_a_property_cannot_be_passed_and_can_be_assigned():
    source = (
        "from vllm import AsyncEngineArgs\n\n"
        "AsyncEngineArgs(model='m', disable_log_requests=True)\n"
        "args = AsyncEngineArgs(model='m')\n"
        "args.disable_log_requests = True\n"
    )
    findings = [f for f in found(source, "0.11.0", None) if f.severity != "note"]
    assert [(f.line, f.code) for f in findings] == [(3, "DC205")], describe(findings)
