"""The index on this machine that the tests of sources have."""

from sources.conftest import cache, index, start_index  # noqa: F401
