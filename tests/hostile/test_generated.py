"""Generated libraries and consumers through index, uses, checks and fixes: no exception, the same twice, in order, and what is fixed parses."""

from __future__ import annotations

import ast

import hypothesmith
import pytest
from fixes.making import Pair
from hostile.generated import consumers, libraries
from hypothesis import HealthCheck, given, settings

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
LONG = settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))


def examined(old: dict[str, str], new: dict[str, str], consumer: str) -> None:
    """The invariants of one check and one repair."""
    pair = Pair(old, new, {"dock/__init__.py": consumer})
    found = pair.findings()
    assert found == pair.findings()
    assert [one.order for one in found] == sorted(one.order for one in found)
    lines = consumer.split("\n")
    for one in found:
        assert 1 <= one.line <= one.end_line <= len(lines) + 1 and one.column >= 1 and one.message
    done = pair.repaired()
    assert done.files == pair.repaired().files
    for data in done.files.values():
        ast.parse(data)


@QUICK
@given(libraries(), libraries(), consumers())
def test_small(old: dict[str, str], new: dict[str, str], consumer: str) -> None:
    examined(old, new, consumer)


@pytest.mark.slow
@LONG
@given(libraries(), libraries(), consumers())
def test_many(old: dict[str, str], new: dict[str, str], consumer: str) -> None:
    examined(old, new, consumer)


@pytest.mark.slow
@settings(LONG, max_examples=300)
@given(hypothesmith.from_node(), libraries(), consumers())
def test_any_grammar(text: str, new: dict[str, str], consumer: str) -> None:
    """A whole module of any grammar: as the library, and around the code that uses it."""
    examined({"gantry/__init__.py": text}, new, consumer)
    examined(new, {"gantry/__init__.py": text}, consumer)
    try:
        ast.parse(together := text + "\n" + consumer)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    examined({"gantry/__init__.py": text}, new, together)
