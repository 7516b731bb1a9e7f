"""Where a symbol is on a version."""

from __future__ import annotations

from driftcheck.checks import View
from driftcheck.infer.attributes import lookup
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Missing, ModuleValue, Value
from driftcheck.model import Evidence


def home_of(view: View, symbol: str) -> Evidence | None:
    """The place that defines a dotted symbol (a parameter: that of its function); None where it is not there."""
    parts = symbol.split(".")
    world = view.world
    name = parts[0]
    used = 1
    while used < len(parts) and isinstance(world.imported(f"{name}.{parts[used]}"), ModuleValue):
        name = f"{name}.{parts[used]}"
        used += 1
    module = world.module(name)
    if module is None:
        return None
    if used == len(parts):
        return view.evidence(module, 1)
    value: Value = world.member(module, parts[used])
    place = _place(view, value)
    if isinstance(value, Missing):
        return None
    if place is None:
        bindings = module.bindings.get(parts[used])
        return view.evidence(module, module.source.line_at(bindings[-1].item.start)) if bindings else None
    for part in parts[used + 1 :]:
        if not isinstance(value, ClassValue):
            break
        found = lookup(world, Instance(value), part)
        if found.status != "found" or found.owner is None:
            break
        bindings = found.owner.members.get(part)
        if bindings:
            place = view.evidence(
                found.owner.module, found.owner.module.source.line_at(bindings[-1].item.start)
            )
        value = found.value
    return place


def _place(view: View, value: Value) -> Evidence | None:
    match value:
        case ClassValue(definition=definition) | FunctionValue(definition=definition):
            if view.world.is_provider(definition.module):
                return view.evidence(definition.module, definition.line)
    return None
