"""DC103: a class of the provider does not have the attribute that is read."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.declared import by_declaration
from driftcheck.index.classes import ClassDef
from driftcheck.infer.classpaths import hosts
from driftcheck.infer.hierarchy import is_protocol, mro
from driftcheck.infer.implementers import is_only_a_base, split
from driftcheck.infer.renames import renamed_member
from driftcheck.infer.subclasses import namesake_has, put_from_outside, put_on_class, subclass_has
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
        if not isinstance(other, ClassDef):
            continue
        if (other.qualname, use.name) in view.uses.injected or put_on_class(view.world, other, use.name):
            return
    own = not view.world.is_provider(cls.module)
    if own and _only_described(view, cls):
        return
    mixed = hosts(view.world, cls)
    confidence: Confidence = "likely" if mixed else "certain"
    exact = all(isinstance(value, Instance) and value.exact for value, _ in answers)
    owner = mixed[0] if mixed else _provider_ancestor(view, cls)
    asked = mixed[0] if mixed else cls
    if not exact and not own and len(answers) == 1 and _only_those_below(view, asked, use.name):
        return
    if put_from_outside(view.world, use.name) or (not exact and _others_have(use, view, asked)):
        confidence = "possible"
    doubt = ""
    if confidence == "certain" and isinstance(answers[0][0], Instance) and not exact and not _is_self(use):
        confidence, doubt = by_declaration(use, view, cls)
    renamed = renamed_member(view.world, owner, use.name)
    where = f"; it is likely {renamed.definition.name} now ({renamed.reason})" if renamed else ""
    read_on = f" (read on {cls.name}{_mixed(mixed)})" if own else ""
    yield Answer(
        "DC103",
        use.path,
        use.span,
        f"{owner.qualname}.{use.name}",
        f"{owner.name} has no attribute {use.name} in {view.version}{read_on}{where}{doubt}",
        confidence=confidence,
        evidence=(view.evidence(owner.module, owner.line),),
        replacement=renamed.definition.name if renamed and renamed.sure else "",
    )


def _only_those_below(view: View, cls: ClassDef, name: str) -> bool:
    """Whether the object is of a class below, some of which have the attribute: two versions tell more."""
    return is_only_a_base(view.world, cls) and bool(split(view.world, cls, name).having)


def _others_have(use: AttributeUse, view: View, cls: ClassDef) -> bool:
    """Whether what is declared to be of a class may be of one below it, or something else, that has the attribute.

    Where known-good's class had it, that is what is meant, whatever else the consumer calls so.
    """
    world, name = view.world, use.name
    if subclass_has(world, cls, name):
        return True
    if view.before is not None:
        return False
    return namesake_has(world, cls, name) or (name in view.uses.put_on_unknown and not _is_self(use))


def _only_described(view: View, cls: ClassDef) -> bool:
    """Whether all that a consumer's class has of the provider are protocols: a mixin, whose host has the rest."""
    line = [one for one in mro(view.world, cls).order if isinstance(one, ClassDef)]
    theirs = [one for one in line if view.world.is_provider(one.module)]
    return bool(theirs) and all(is_protocol(view.world, one) for one in theirs)


def _is_self(use: AttributeUse) -> bool:
    """Whether a method reads it on its own object, whose class is where the method stands."""
    return isinstance(use.node, ast.Attribute) and getattr(use.node.value, "id", "") == "self"


def _mixed(mixed: tuple[ClassDef, ...]) -> str:
    return f", which a string mixes into {mixed[0].name}" if mixed else ""


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
