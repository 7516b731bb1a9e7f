"""DC103: a class of the provider does not have the attribute that is read."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.subclasses import attribute_elsewhere
from driftcheck.infer.values import NONE, ClassValue, Instance, SuperValue, Value
from driftcheck.model.finding import Confidence
from driftcheck.uses import AttributeUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, AttributeUse) or use.caught & {"AttributeError"}:
        return
    answers = [(value, found) for value, found in use.answers if value != NONE]
    if not answers or any(found.status != "missing" for _, found in answers):
        return
    classes = [_class_of(value) for value, _ in answers]
    if any(cls is None for cls in classes):
        return
    cls = classes[0]
    assert cls is not None
    for other in mro(view.world, cls).order:
        if isinstance(other, ClassDef) and (other.qualname, use.name) in view.uses.injected:
            return
    own = not view.world.is_provider(cls.module)
    confidence: Confidence = "certain"
    if not all(isinstance(v, Instance) and v.exact for v, _ in answers) and attribute_elsewhere(view.world, cls, use.name):
        confidence = "possible"
    owner = _provider_ancestor(view, cls)
    yield Answer(
        "DC103",
        use.path,
        use.span,
        f"{owner.qualname}.{use.name}",
        f"{owner.name} has no attribute {use.name} in {view.version}" + (f" (read on {cls.name})" if own else ""),
        confidence=confidence,
        evidence=(view.evidence(owner.module, owner.line),),
    )


def _class_of(value: Value) -> ClassDef | None:
    match value:
        case Instance(cls=ClassValue(definition=cls)) | ClassValue(definition=cls) | SuperValue(after=cls):
            return cls
    return None


def _provider_ancestor(view: View, cls: ClassDef) -> ClassDef:
    for other in mro(view.world, cls).order:
        if isinstance(other, ClassDef) and view.world.is_provider(other.module):
            return other
    return cls
