"""DC105: a string names a method that the object which is asked for it does not have."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.subclasses import put_from_outside, subclass_has
from driftcheck.model.finding import Confidence
from driftcheck.uses import NamedMethodUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, NamedMethodUse) or not use.missing:
        return
    asked = use.targets[-1]
    if any((cls.qualname, use.name) in view.uses.injected for cls in use.targets):
        return
    elsewhere = put_from_outside(view.world, use.name) or any(
        subclass_has(view.world, cls, use.name) for cls in use.targets
    )
    confidence: Confidence = "possible" if elsewhere else "likely"
    yield Answer(
        "DC105",
        use.path,
        use.span,
        f"{asked.qualname}.{use.name}",
        f"the string names the method {use.name}, which neither {asked.name} nor a class mixed into it has "
        f"in {view.version}",
        confidence=confidence,
        evidence=(view.evidence(asked.module, asked.line),),
    )
