"""Patterns of the consumer's are only tried where that takes no time to speak of."""

import re
import time

import pytest

from driftcheck.infer.regexes import MAX_PATTERN, MAX_TEXT, is_quick


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)*b", "((a*)b?){2,}", "(?=(a+))a*b:", "(a|a)" * 16, "a" * (MAX_PATTERN + 1)]
)
def test_not_tried(pattern: str) -> None:
    assert not is_quick(pattern, "a" * 30)


def test_no_long_text() -> None:
    assert not is_quick("a", "a" * (MAX_TEXT + 1))


@pytest.mark.parametrize(
    "pattern", [r"(\d+)\.(\d+)", r"v?(?P<major>\d+)\.", r"[.+]", "a*a*a*a*b", "(a|a)" * 6 + "b"]
)
def test_tried_at_once(pattern: str) -> None:
    text = "a" * MAX_TEXT
    began = time.process_time()
    assert is_quick(pattern, text)
    re.findall(pattern, text)
    assert time.process_time() - began < 5
