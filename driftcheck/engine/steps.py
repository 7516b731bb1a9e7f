"""The order of striking, cut down to the findings that a report still has."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.model import Chain, Finding


def among(chains: Iterable[Chain], findings: Iterable[Finding]) -> tuple[Chain, ...]:
    """The chains with only the steps that are among ``findings``; one step alone tells no order."""
    there = {(one.path, one.line, one.column, one.code) for one in findings}
    cut = (
        Chain(
            chain.function,
            tuple(one for one in chain.steps if (one.path, one.line, one.column, one.code) in there),
        )
        for chain in chains
    )
    return tuple(dict.fromkeys(chain for chain in cut if len(chain.steps) > 1))
