"""DC103 in a function that is bound on to an object of unstated class: its whole family lost an attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.families import Loss, losses, receiver_reads
from driftcheck.model import Span
from driftcheck.model.finding import Confidence
from driftcheck.uses import BoundUse, Use
from driftcheck.uses.collect import name_span

NEARLY_ALL = 0.9
"""The share of a family that must have lost an attribute for the loss to be likely."""


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(target, BoundUse) or not isinstance(known_good, BoundUse):
        return
    function = target.function.definition
    reads = own_reads(target, before)
    for name, gone in losses(before.world, view.world, target.method, reads).items():
        for node in reads[name]:
            if (function.module.path, node.lineno, node.col_offset) in view.uses.reached:
                yield _answer(view, target, name, name_span(function.module.source, node, name), gone)


def own_reads(use: BoundUse, before: View) -> dict[str, list[ast.Attribute]]:
    """What a bound function reads on its object, what the consumer itself puts there aside."""
    return {
        name: nodes
        for name, nodes in receiver_reads(use.function.definition).items()
        if name not in before.uses.stored_names and not (name.startswith("__") and name.endswith("__"))
    }


def _answer(view: View, use: BoundUse, name: str, span: Span, gone: Loss) -> Answer:
    old, new = gone.example
    confidence: Confidence = "likely" if gone.share >= NEARLY_ALL and len(gone.lost) > 1 else "possible"
    others = len(gone.lost) - 1
    asked = len(gone.lost) + len(gone.kept) - 1
    kin = f" and {others} of {asked} classes like it have" if asked else " has"
    instead = f"; {gone.successor} is there in its place" if gone.successor else ""
    library = view.world.provider.tree.name or "the provider"
    message = (
        f"self stands for a class of {library} that has {use.method}: "
        f"{new.name}{kin} no {name} in {view.version}{instead}"
    )
    line = _line_of(new, gone.successor)
    return Answer(
        "DC103",
        use.function.definition.module.path,
        span,
        f"{old.qualname}.{name}",
        message,
        subject=name,
        confidence=confidence,
        evidence=(view.evidence(new.module, line),),
        replacement=gone.successor or "",
    )


def _line_of(cls: ClassDef, name: str | None) -> int:
    bindings = cls.members.get(name) if name else None
    return cls.module.source.line_at(bindings[-1].item.start) if bindings else cls.line
