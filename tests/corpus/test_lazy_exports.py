"""Two idioms of the provider itself: names that exist only through a module ``__getattr__``."""

import pytest
from corpus.session import release, shown

from driftcheck.engine import CheckOptions, check
from driftcheck.sources.tree import MemoryFiles, Tree

pytestmark = [pytest.mark.corpus, pytest.mark.network]

RELEASES = (
    "0.10.2", "0.11.0", "0.12.0", "0.13.0", "0.14.1", "0.16.0", "0.18.1",
    "0.19.1", "0.20.2", "0.22.1", "0.25.1",
    "0.28.0", "0.33.0",
)  # fmt: skip
SOURCE = b"""\
import vllm
from vllm import LLM, EngineArgs, SamplingParams, envs

print(vllm.AsyncLLMEngine, envs.VLLM_HOST_IP, envs.VLLM_LOGGING_LEVEL)
LLM("m"), EngineArgs, SamplingParams()
"""
MISSING = b"""\
from vllm import NoSuchNameAnywhere
"""


def consumer(source: bytes) -> Tree:
    return Tree(spec="mini", files=MemoryFiles({"mini/__init__.py": source}), packages=("mini",), name="mini")


@pytest.mark.parametrize(
    "version", [pytest.param(v, marks=() if v == "0.16.0" else pytest.mark.slow) for v in RELEASES]
)
def test_lazy_exports_exist(version):
    target = release(f"vllm=={version}", "provider")
    assert shown(check(consumer(SOURCE), target, None, options=CheckOptions())) == []


def test_a_name_that_no_table_serves_is_missing():
    target = release("vllm==0.16.0", "provider")
    found = shown(check(consumer(MISSING), target, None, options=CheckOptions()))
    assert [(f.code, f.line) for f in found] == [("DC102", 1)]
