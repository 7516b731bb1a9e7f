"""DC103 on one of several classes that a flag chooses from: the flag's default decides how sure it is."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.values import NONE, ClassValue, Instance, Value
from driftcheck.infer.variants import Choice, choice, rests_on_environment
from driftcheck.uses import AttributeUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, AttributeUse) or use.caught & {"AttributeError"}:
        return
    answers = [(value, found.status) for value, found in use.answers if value != NONE]
    if {status for _, status in answers} != {"missing", "found"}:
        return
    chosen = choice(view.world, use.receiver)
    if chosen is None or any((cls.qualname, use.name) in view.uses.injected for cls in chosen.classes):
        return
    without = [_class_of(value) for value, status in answers if status == "missing"]
    lacking = {cls for cls in without if cls is not None}
    by_default = chosen.default & lacking
    if chosen.default and not by_default and rests_on_environment(view.world, chosen):
        # Whoever sets the variable asks for the other class; code that does not mention it never meets it.
        return
    yield _answer(use, view, chosen, lacking, bool(by_default) and by_default == chosen.default)


def _answer(use: AttributeUse, view: View, chosen: Choice, lacking: set[ClassDef], sure: bool) -> Answer:
    cls = min(lacking, key=lambda one: (one not in chosen.default, one.qualname))
    when = "where nothing is set" if sure else "for some settings"
    usual = f" (taking {' and '.join(chosen.assumed)} to be false)" if sure and chosen.assumed else ""
    return Answer(
        "DC103",
        use.path,
        use.span,
        f"{cls.qualname}.{use.name}",
        f"{cls.name} has no attribute {use.name} in {view.version}: {chosen.owner.name}.{chosen.name} holds "
        f"{cls.qualname} {when}{usual}",
        confidence="likely" if sure else "possible",
        evidence=(view.evidence(cls.module, cls.line),),
    )


def _class_of(value: Value) -> ClassDef | None:
    return value.cls.definition if isinstance(value, Instance) and isinstance(value.cls, ClassValue) else None
