"""The consumer's modules against the provider's: which uses which, and in what state."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from driftcheck.queries.structs import Edge, Row, State

_GRAVEST: tuple[State, ...] = ("breaks", "risk", "possible", "note", "unknown", "holds", "absent")


def edges(rows: Sequence[Row], count: int) -> list[Edge]:
    """One edge for each pair of modules, with the gravest state of its uses on each release."""
    states: dict[tuple[str, str], list[State]] = {}
    uses: Counter[tuple[str, str]] = Counter()
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.provider_module:
            grouped[module_name(row.place.path), row.provider_module].append(row)
    for pair, found in grouped.items():
        uses[pair] = len(found)
        states[pair] = [min((row.states[n] for row in found), key=_GRAVEST.index) for n in range(count)]
    return [Edge(*pair, uses[pair], states[pair]) for pair in sorted(grouped)]


def module_name(path: str) -> str:
    """The dotted name of a file."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
