"""What of the consumer's own stands where a provider's method is declared: replacements and overrides."""

from __future__ import annotations

import ast

from driftcheck.checks.answer import View
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.overrides import ancestry, as_called, live_method
from driftcheck.infer.signatures import Arguments, bind
from driftcheck.infer.subclasses import has_subclass
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Value
from driftcheck.uses import CallUse, ClassUse


def accepted_by_own(view: View, callee: Value, use: CallUse) -> bool:
    """Whether a call may meet something of the consumer's that takes it, or that is not known."""
    if isinstance(callee, ClassValue):
        if callee.declared and has_subclass(view.world, callee.definition):
            return True
        written = _written_name(use)
        return written == callee.definition.name and _module_has(view, callee.definition.module, written)
    if not isinstance(callee, FunctionValue) or not view.world.is_provider(callee.definition.module):
        return False
    cls = _receiver_class(callee)
    name = callee.definition.name
    if _written_name(use) == name and _is_replaced(view, callee.definition, cls, name):
        return True
    if cls is None or (isinstance(callee.receiver, Instance) and callee.receiver.exact):
        return False
    return any(_takes(view, other, method, use.arguments) for other, method in _overriding(view, cls, name))


def _written_name(use: CallUse) -> str:
    """The name that is called as written: an original that was kept has another."""
    written = use.node.func if isinstance(use.node, ast.Call) else None
    return written.attr if isinstance(written, ast.Attribute) else getattr(written, "id", "")


def _receiver_class(callee: FunctionValue) -> ClassDef | None:
    match callee.receiver:
        case Instance(cls=ClassValue(definition=cls)) | ClassValue(definition=cls):
            return cls
    return None


def _is_replaced(view: View, function: FunctionDef, cls: ClassDef | None, name: str) -> bool:
    """Whether the consumer puts something of its own in the function's place."""
    if function.owner is None and _module_has(view, function.module, name):
        return True
    owners = {function.owner.qualname} if function.owner is not None else set[str]()
    if cls is not None:
        owners |= {c.qualname for c in mro(view.world, cls).order if isinstance(c, ClassDef)}
    return any((owner, name) in view.uses.injected for owner in owners)


def _module_has(view: View, module: Module, name: str) -> bool:
    """Whether the consumer puts something of its own under a name of a module, or of one that passes it on."""
    if not view.world.is_provider(module):
        return False
    owners = [owner for owner, put in view.uses.injected if put == name]
    return any(view.world.module(owner) is not None for owner in owners)


def _overriding(view: View, cls: ClassDef, name: str) -> list[tuple[ClassDef, FunctionDef | None]]:
    """The consumer's classes below ``cls`` that have a method of that name of their own."""
    cache = view.world.cache
    key = ("overriding", cls, name)
    if key not in cache:
        found: list[tuple[ClassDef, FunctionDef | None]] = []
        for use in view.uses.uses:
            if isinstance(use, ClassUse):
                order = ancestry(view.world, use.cls, use.assumed).order
                if cls not in order:
                    continue
                for owner in order[: order.index(cls)]:
                    if isinstance(owner, ClassDef) and name in owner.members:
                        found.append((use.cls, live_method(view.world, owner, name)))
                        break
        cache[key] = found
    return cache[key]


def _takes(view: View, cls: ClassDef, method: FunctionDef | None, arguments: Arguments) -> bool:
    signature = as_called(view.world, method, cls) if method is not None else None
    return signature is None or not bind(signature, arguments)
