"""Incidents whose consumer cannot be fetched: own code of the same shape, on the real provider releases.

Each file of fixtures/corpus/shapes/ says in its first line which releases, and at the lines' ends what is
found on the later one; on the earlier one nothing is.
"""

import re
from pathlib import Path

import pytest
from corpus.session import describe, release, shown

from driftcheck.engine import CheckOptions, check
from driftcheck.rulesdb.expectations import split_expectations
from driftcheck.rulesdb.pages import Expectation
from driftcheck.rulesdb.trees import differences
from driftcheck.sources.tree import MemoryFiles, Tree

pytestmark = [pytest.mark.corpus, pytest.mark.network]

SHAPES = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "corpus" / "shapes").glob("*.py"))
FIRST_LINE = re.compile(r"# (?P<provider>\S+) (?P<worked>\S+) -> (?P<broke>\S+): ")
QUICK = {"I042"}


def consumer(text: str) -> Tree:
    files = {"dock/__init__.py": b"", "dock/shape.py": text.encode()}
    return Tree(spec="dock", files=MemoryFiles(files), packages=("dock",), name="dock")


def params():
    return [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in SHAPES
    ]


@pytest.mark.parametrize("path", params())
def test_shape(path: Path):
    raw = path.read_text()
    said = FIRST_LINE.match(raw)
    assert said, f"{path}: the first line says '# provider worked -> broke: what'"
    text, wanted = split_expectations(path, 0, raw)
    worked, broke = (
        release(f"{said['provider']}=={said[which]}", "provider") for which in ("worked", "broke")
    )
    options = CheckOptions()
    quiet = shown(check(consumer(text), worked, None, options))
    assert not quiet, f"on {worked.version}:\n{describe(quiet)}"
    found = shown(check(consumer(text), broke, worked, options))
    expected = [Expectation("dock/shape.py", line, *parts) for line, parts in wanted]
    assert not differences(expected, found)


@pytest.mark.slow
def test_a_resolver_takes_an_older_release_than_the_consumer_pins():
    """Incident I094: not even the package's import works there, and on the pinned release all holds."""
    user = release("llmcompressor==0.9.0", "consumer")
    pinned, taken = (release(f"compressed-tensors=={v}", "provider") for v in ("0.13.0", "0.12.2"))
    assert not shown(check(user, pinned, None, CheckOptions()))
    found = shown(check(user, taken, pinned, CheckOptions()))
    assert ("DC101", "llmcompressor/modifiers/quantization/quantization/mixin.py", 4) in {
        (one.code, one.path, one.line) for one in found
    }
    assert all(one.status == "introduced" for one in found)
