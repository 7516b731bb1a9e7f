"""DC103 on an object that a test only says to implement a protocol: some classes that do lack the attribute."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.index.subclassing import all_below
from driftcheck.infer.attributes import lookup
from driftcheck.infer.implementers import Split, is_only_a_base, most_followed, split
from driftcheck.infer.subclasses import put_from_outside
from driftcheck.infer.values import ClassValue, Instance
from driftcheck.model.finding import Confidence
from driftcheck.uses import AttributeUse, NarrowedUse, Use

HALF = 0.5
"""The share of the classes that must lack the attribute for the break to be likely."""


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(target, (NarrowedUse, AttributeUse)) or target.caught & {"AttributeError"}:
        return
    cls, earlier, name = _said(target), _said(known_good), target.name
    if cls is None or earlier is None or not view.world.is_provider(cls.module):
        return
    if isinstance(target, AttributeUse) and not is_only_a_base(view.world, cls):
        return  # its own class may be the object's: what that lacks is told as such
    if name in view.uses.stored_names or _declares(view, cls, name):
        return
    if _declares(before, earlier, name) or _all_have(before, earlier, name):
        found = split(view.world, cls, name)
        if found.lacking and found.having:
            yield _answer(view, target, cls, name, found)


def _said(use: Use) -> ClassDef | None:
    """The protocol or base below which the object's class is said to be."""
    match use:
        case NarrowedUse(cls=cls):
            return cls
        case AttributeUse(answers=((Instance(cls=ClassValue(definition=cls), exact=False), _),)):
            return cls
    return None


def _declares(view: View, cls: ClassDef, name: str) -> bool:
    """Whether the protocol or base itself has the attribute, or may have it."""
    return lookup(view.world, Instance(ClassValue(cls)), name).status != "missing"


def _all_have(view: View, cls: ClassDef, name: str) -> bool:
    found = split(view.world, cls, name)
    return bool(found.having) and not found.lacking


def _answer(view: View, use: Use, cls: ClassDef, name: str, found: Split) -> Answer:
    example = most_followed(view.world, found.lacking)
    total = len(found.lacking) + len(all_below(view.world.provider, found.having))
    sure = len(found.lacking) >= HALF * total and not put_from_outside(view.world, name)
    confidence: Confidence = "likely" if sure else "possible"
    others = len(found.lacking) - 1
    base = f"a class below {cls.name}" if is_only_a_base(view.world, cls) else f"{cls.name} or a class below"
    lack = f" and {others} of {total - 1} classes like it have" if others else " has"
    return Answer(
        "DC103",
        use.path,
        use.span,
        f"{cls.qualname}.{name}",
        f"the object is of {base}: {example.name}{lack} no attribute {name} in {view.version}",
        confidence=confidence,
        evidence=(view.evidence(example.module, example.line),),
    )
