"""Plain structs that every room shares; no logic."""

from driftcheck.model.finding import (
    Edit,
    Evidence,
    Finding,
    Fix,
    Pair,
    Proof,
    Related,
    Report,
    Side,
)
from driftcheck.model.span import Span

__all__ = [
    "Edit",
    "Evidence",
    "Finding",
    "Fix",
    "Pair",
    "Proof",
    "Related",
    "Report",
    "Side",
    "Span",
]
