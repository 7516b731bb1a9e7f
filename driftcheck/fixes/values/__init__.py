"""Where the value of an argument that has become required can come from, best source first."""

from __future__ import annotations

from collections.abc import Iterator

from driftcheck.fixes.values.needed import Derived, Needed
from driftcheck.fixes.values.none import none_passed
from driftcheck.fixes.values.offered import offered_by_provider
from driftcheck.fixes.values.reach import in_reach

__all__ = ["Derived", "Needed", "derive"]


def derive(needed: Needed) -> Iterator[Derived]:
    """Values for the argument: a default of the provider's own, an expression in reach, None."""
    for source in (offered_by_provider, in_reach, none_passed):
        yield from source(needed)
