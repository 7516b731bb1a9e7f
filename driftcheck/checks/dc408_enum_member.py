"""DC408: an enumeration of the provider has no such member."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.classes import ClassDef
from driftcheck.infer.enums import UNREAD, Members, members
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.likeness import name_likeness
from driftcheck.infer.values import ClassValue, Const, Value, options
from driftcheck.infer.world import World
from driftcheck.uses import AttributeUse, CallUse, Use, ValueUse


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    match use:
        case AttributeUse(name=name) if not use.caught & {"AttributeError"}:
            if all(found.status == "missing" for _, found in use.answers) and _is_member_read(use, view):
                yield from _missing(use, view, [value for value, _ in use.answers], name, use.name)
        case ValueUse(how="subscript", node=ast.Subscript(slice=ast.Constant(value=str(name)))):
            if not use.caught & {"KeyError"}:
                yield from _missing(use, view, list(options(use.value)), name, f"[{name!r}]")
        case CallUse() if not use.caught & {"ValueError"}:
            yield from _by_value(use, view)


def _is_member_read(use: AttributeUse, view: View) -> bool:
    """Whether an attribute that is gone was a member: on known-good if there is one, else by its spelling."""
    values = [value for value, _ in use.answers]
    for value in values:
        if not isinstance(value, ClassValue):
            return False
        found = members(view.world, value.definition)
        if found is None:
            return False
        earlier = _earlier(view, value.definition)
        if earlier is not None:
            if use.name not in earlier.names:
                return False
        elif not any(name.isupper() == use.name.isupper() for name in found.names):
            return False
        if any(
            isinstance(c, ClassDef) and (c.qualname, use.name) in view.uses.injected
            for c in mro(view.world, value.definition).order
        ):
            return False
    return True


def _earlier(view: View, cls: ClassDef) -> Members | None:
    """The enumeration's members on known-good; None where it cannot be found there."""
    if view.before is None:
        return None
    world = view.before.world
    found = _class_at(world, cls)
    return members(world, found) if found is not None else None


def _class_at(world: World, cls: ClassDef) -> ClassDef | None:
    module = world.module(cls.module.name)
    if module is None or cls.owner is not None:
        return None
    value = world.member(module, cls.name)
    return value.definition if isinstance(value, ClassValue) else None


def _missing(use: Use, view: View, values: list[Value], name: str, subject: str) -> Iterable[Answer]:
    """An answer where every class asked is an enumeration without a member of that name."""
    classes = [value.definition for value in values if isinstance(value, ClassValue)]
    if not classes or len(classes) != len(values):
        return
    found = [members(view.world, cls) for cls in classes]
    if any(one is None or name in one.names for one in found):
        return
    if isinstance(use, ValueUse) and not all(one is not None and one.closed for one in found):
        return
    cls, known = classes[0], found[0]
    assert known is not None
    renamed = _successor(view, cls, name, known)
    where = f"; it is {renamed} now" if renamed else ""
    yield Answer(
        "DC408",
        use.path,
        use.span,
        f"{cls.qualname}.{name}",
        f"{cls.name} has no member {name} in {view.version}{where}",
        subject="" if isinstance(use, AttributeUse) else subject,
        evidence=(view.evidence(cls.module, cls.line),),
        replacement=renamed or "",
    )


def _successor(view: View, cls: ClassDef, name: str, known: Members) -> str | None:
    """The new member that has the old one's value, else the only one that is spelled alike."""
    earlier = _earlier(view, cls)
    if earlier is None or name not in earlier.names:
        return None
    new = [other for other in known.names if other not in earlier.names]
    value = earlier.values[name]
    same = [other for other in new if value is not UNREAD and known.values[other] == value]
    if len(same) == 1:
        return same[0]
    alike = [other for other in new if name_likeness(name, other) >= 0.75]
    return alike[0] if len(alike) == 1 else None


def _by_value(use: CallUse, view: View) -> Iterable[Answer]:
    """``Enum("value")`` where no member has the value."""
    arguments = use.arguments
    if (
        len(arguments.positional) != 1
        or arguments.keywords
        or arguments.open_keywords
        or arguments.open_positional
    ):
        return
    given = arguments.positional[0].value
    if not isinstance(given, Const):
        return
    cls: ClassDef | None = None
    for option in options(use.callee):
        if not isinstance(option, ClassValue):
            return
        found = members(view.world, option.definition)
        if found is None or not found.closed or not found.names:
            return
        values = found.values.values()
        if given.value in values or any(value is UNREAD for value in values):
            return
        cls = option.definition
    if cls is None:
        return
    yield Answer(
        "DC408",
        use.path,
        use.span,
        f"{cls.qualname}.{given.value}",
        f"no member of {cls.name} has the value {given.value!r} in {view.version}",
        subject=repr(given.value),
        evidence=(view.evidence(cls.module, cls.line),),
    )
