"""The members of an enumeration, and their values where those can be read."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from driftcheck.index.classes import ClassDef
from driftcheck.index.module import Binding
from driftcheck.index.source import SourceFault
from driftcheck.infer.hierarchy import class_members, class_scope, mro
from driftcheck.infer.values import Const, External, TupleOf, Value
from driftcheck.infer.world import World

_PLAIN = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum"})


@dataclass(frozen=True)
class Members:
    """An enumeration's members in order. ``values``: what each equals, None where that is not known.

    ``closed``: looking up any other name or value raises; false where the class has its own lookup.
    """

    owner: dict[str, tuple[ClassDef, Binding]]
    values: dict[str, Any]
    closed: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.owner)


UNREAD = object()
"""The value of a member whose expression could not be evaluated."""


def members(world: World, cls: ClassDef) -> Members | None:
    """The members of an enumeration; None where the class is none or its body makes them up as it runs."""
    order = mro(world, cls)
    externals = {c.path for c in order.order if isinstance(c, External)}
    if not any(path.startswith("enum.") for path in externals) or not order.complete:
        return None
    found: dict[str, tuple[ClassDef, Binding]] = {}
    for owner in reversed([c for c in order.order if isinstance(c, ClassDef)]):
        if "locals()" in owner.text or "vars()" in owner.text or "exec(" in owner.text:
            return None
        for name in owner.members:
            bindings = [b for b in class_members(world, owner, name) if b.kind in ("value", "other")]
            if bindings and not name.startswith("_"):
                found[name] = (owner, bindings[-1])
    values = {name: _value(world, owner, binding, externals) for name, (owner, binding) in found.items()}
    own_lookup = any(
        isinstance(c, ClassDef) and ("_missing_" in c.members or c.header.keywords) for c in order.order
    )
    plain = {path for path in externals if path.startswith("enum.")} <= _PLAIN
    return Members(found, values, plain and not own_lookup)


def _value(world: World, owner: ClassDef, binding: Binding, externals: set[str]) -> Any:
    from driftcheck.infer.evaluator import Evaluator

    try:
        statement = owner.module.source.parse(binding.item)
    except (SourceFault, IndexError):
        return UNREAD
    match statement:
        case ast.Assign(targets=[ast.Name()], value=node) | ast.AnnAssign(value=ast.expr() as node):
            pass
        case _:
            return UNREAD
    if isinstance(node, ast.Call) and "auto" in ast.dump(node.func):
        return binding.name.lower() if "enum.StrEnum" in externals else UNREAD
    return _python(Evaluator(world, class_scope(world, owner)).eval(node))


def _python(value: Value) -> Any:
    if isinstance(value, Const):
        return value.value
    if isinstance(value, TupleOf):
        parts = tuple(_python(v) for v in value.elements)
        return UNREAD if UNREAD in parts else parts
    return UNREAD
