"""Real packages from the index that pip is configured for."""

import pytest

from driftcheck.sources import Cache, open_tree, releases

pytestmark = pytest.mark.network


def test_a_small_package(cache: Cache) -> None:
    provider = open_tree("iniconfig==2.0.0", role="provider", cache=cache)
    consumer = open_tree("iniconfig==2.0.0", role="consumer", cache=cache)
    assert provider.packages == consumer.packages == ("iniconfig",)
    assert provider.read("iniconfig/exceptions.py") == consumer.read("iniconfig/exceptions.py")
    assert "2.0.0" in {release.version for release in releases("iniconfig", cache=cache)}


@pytest.mark.slow
def test_a_large_wheel_by_ranges(cache: Cache) -> None:
    """A release that has no sdist, and a wheel of hundreds of megabytes."""
    told: list[str] = []
    tree = open_tree("vllm==0.15.1", role="provider", cache=cache, progress=told.append)
    assert tree.packages == ("vllm",) and tree.is_file("vllm/config/__init__.py")
    assert not any("whole" in line for line in told)
