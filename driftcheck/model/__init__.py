"""Plain structs that every room shares; no logic."""

from driftcheck.model.finding import (
    Chain,
    Edit,
    Evidence,
    Finding,
    Fix,
    Pair,
    Proof,
    Related,
    Report,
    Side,
    Step,
)
from driftcheck.model.span import Span
from driftcheck.model.stage import Stage

__all__ = [
    "Chain",
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
    "Stage",
    "Step",
]
