"""DC104: what was a method is data now, a property or a field, and the consumer calls it."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.attributes import lookup
from driftcheck.infer.shapes import describe
from driftcheck.infer.subclasses import may_be_another, put_from_outside
from driftcheck.infer.values import (
    NONE,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    Instance,
    TupleOf,
    Value,
    options,
)
from driftcheck.uses import AttributeUse, Use

_DATA = frozenset(
    f"builtins.{name}"
    for name in ("int", "float", "str", "bytes", "bool", "list", "dict", "set", "frozenset", "tuple")
)


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, AttributeUse) or not use.answers or use.caught & {"TypeError"}:
        return
    if (use.path, *_end(use)) not in view.uses.called_data:
        return
    owner = _owner(view, use)
    if owner is None or not all(
        found.status == "found" and _is_data(view, found.value) for _, found in use.answers
    ):
        return
    value = use.answers[0][1].value
    function = owner.method(use.name)
    yield Answer(
        "DC104",
        use.path,
        use.span,
        f"{owner.qualname}.{use.name}",
        f"{owner.name}.{use.name} is {describe(value)} in {view.version}: it cannot be called",
        evidence=(view.evidence(owner.module, function.line if function is not None else owner.line),),
    )


def _end(use: Use) -> tuple[int, int]:
    return (getattr(use.node, "end_lineno", 0) or 0, getattr(use.node, "end_col_offset", 0) or 0)


def _owner(view: View, use: AttributeUse) -> ClassDef | None:
    """The provider's class that the objects are of; None where another's member may stand there instead."""
    world, owner = view.world, None
    for receiver, _ in use.answers:
        match receiver:
            case Instance(cls=ClassValue(definition=cls)) if world.is_provider(cls.module):
                if (
                    may_be_another(world, receiver, use.name)
                    or (cls.qualname, use.name) in view.uses.injected
                ):
                    return None
                owner = cls
            case _:
                return None
    return None if put_from_outside(world, use.name) or use.name in view.uses.loosely_set else owner


def _is_data(view: View, value: Value) -> bool:
    return all(_is_one_datum(view, option) for option in options(value))


def _is_one_datum(view: View, value: Value) -> bool:
    """Whether a value can certainly not be called."""
    match value:
        case Const():
            return value != NONE
        case Container(kind=kind):
            return kind != "names"
        case TupleOf() | DictOf():
            return True
        case Instance(cls=External(path=path)):
            return path in _DATA
        case Instance(cls=ClassValue()):
            missing = lookup(view.world, value, "__call__").status == "missing"
            return missing and not may_be_another(view.world, value, "__call__")
    return False
