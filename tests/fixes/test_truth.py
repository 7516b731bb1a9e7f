"""The real consumer, repaired for a real release: the edits that were run, and nothing left that is certain."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import pytest
from corpus.session import release

from driftcheck.engine import CheckOptions, check
from driftcheck.engine.repair import Repaired, repair
from driftcheck.fixes import Style
from driftcheck.model import Finding

pytestmark = pytest.mark.network

GENERATOR = "speculators/data_generation/vllm_hidden_states_generator.py"
WORKER = "speculators/data_generation/custom_worker.py"
CONSUMER = "speculators==0.3.0"
KNOWN_GOOD = "0.11.0"

# The seven edits with which it was run, and the pin that keeps chunked prefill off.
EIGHT = {
    WORKER: [
        "-            else self.get_input_embeddings(input_ids)",
        "+            else self.embed_input_ids(input_ids)",
    ],
    GENERATOR: [
        "-            kv_cache_specs=kv_cache_spec,",
        "+            block_size=self.vllm_config.cache_config.block_size,",
        "+            enable_prefix_caching=False,",
        "+                is_encoder_decoder=False,",
        "+                enable_chunked_prefill=False,",
        "+            self.executor.sample_tokens(None)",
        "-        aux_hidden_states = captured_states_list[0]",
        "+        aux_hidden_states = captured_states_list",
    ],
}
EOS = "-                eos_token_id=self.tokenizer.eos_token_id,"


def findings(
    target: str, known_good: str | None, files: Mapping[str, bytes], style: Style | None = None
) -> list[Finding]:
    consumer = release(CONSUMER, "consumer")
    return check(
        consumer.overlay(files) if files else consumer,
        release(f"vllm=={target}", "provider"),
        None if known_good is None else release(f"vllm=={known_good}", "provider"),
        CheckOptions(fix_style=style),
    ).findings


def repaired(target: str, style: Style | None = None) -> Repaired:
    consumer = release(CONSUMER, "consumer")
    return repair(
        lambda files: findings(target, KNOWN_GOOD, files, style),
        consumer.read,
        lambda one: one.fix is not None and one.fix.applicability != "display",
    )


def changed_lines(done: Repaired, path: str) -> list[str]:
    before = release(CONSUMER, "consumer").read(path).decode().splitlines()
    after = done.files[path].decode().splitlines()
    return [
        line for line in list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:] if line[0] in "+-"
    ]


def certain_errors(found: list[Finding]) -> list[Finding]:
    return [
        one
        for one in found
        if (one.severity, one.confidence) == ("error", "certain") and one.status != "fixed"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["0.12.0", "0.16.0"])
def test_the_eight_edits(target: str) -> None:
    done = repaired(target)
    assert {path: changed_lines(done, path) for path in done.files} == EIGHT
    assert done.rolled_back == []
    assert certain_errors(done.left) == []
    # Without a version to compare with, the result stands for itself.
    assert certain_errors(findings(target, None, done.files)) == []


@pytest.mark.slow
def test_a_keyword_more_at_a_later_release() -> None:
    done = repaired("0.20.2")
    wanted = [*EIGHT[GENERATOR][:5], EOS, *EIGHT[GENERATOR][5:]]
    assert changed_lines(done, GENERATOR) == wanted
    assert certain_errors(done.left) == []


@pytest.mark.slow
@pytest.mark.parametrize("style", ["shim", "gate"])
def test_both_releases(style: Style) -> None:
    done = repaired("0.16.0", style)
    for target in (KNOWN_GOOD, "0.16.0"):
        shown = [one for one in findings(target, None, done.files) if one.confidence != "possible"]
        assert [(one.code, one.line, one.message) for one in shown] == []


def test_what_is_known_to_be_wrong_is_not_offered() -> None:
    for one in findings("0.16.0", KNOWN_GOOD, {}):
        for edit in one.fix.edits if one.fix and one.fix.applicability != "display" else ():
            assert "block_hasher" not in edit.text
            assert "async_scheduling" not in edit.text
