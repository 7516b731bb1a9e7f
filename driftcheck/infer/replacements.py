"""What a patch puts in the place of what, and which of the provider's calls meet it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.attributes import Lookup, lookup
from driftcheck.infer.callables import kind_of, signature_of
from driftcheck.infer.callsites import Site, callee_of, function_sites, member_sites, own_receiver
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.overrides import definers, live_method
from driftcheck.infer.reaching import Reach, is_super
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    FunctionValue,
    Instance,
    LambdaValue,
    Missing,
    ModuleValue,
    PartialValue,
    Value,
    options,
)
from driftcheck.infer.world import World


@dataclass(frozen=True)
class Replaced:
    """A function or class of the provider with what stands for it.

    ``owner`` is the class of a method, ``module`` the module that a plain name is replaced in. ``on_object``:
    the replacement is put on one object, where a plain function gets no receiver. ``whole``: the class itself
    is replaced, so only objects made of it by its name are concerned. ``heir``: the class below ``owner`` that
    an inherited method is replaced on, so only its objects are concerned.
    """

    original: FunctionDef | ClassDef
    owner: ClassDef | None
    module: str | None
    name: str
    replacement: Value
    on_object: bool = False
    whole: ClassDef | None = None
    heir: ClassDef | None = None

    @property
    def holder(self) -> ClassDef | None:
        """The class whose objects have the replacement."""
        return self.heir or self.owner


def original_of(world: World, receiver: Value, name: str) -> Lookup:
    """What the name means on the receiver before the patch."""
    if isinstance(receiver, Instance):
        receiver = receiver.cls
    return lookup(world, receiver, name)


def replaced(world: World, receiver: Value, name: str, value: Value) -> Replaced | None:
    """What a patch replaces by a callable of its own; None where either side is not known."""
    found = original_of(world, receiver, name)
    if isinstance(receiver, ModuleValue):
        match found.value:
            case FunctionValue(definition=function) if world.is_provider(function.module):
                return Replaced(function, None, receiver.name, name, value)
            case ClassValue(definition=cls) if world.is_provider(cls.module):
                return Replaced(cls, None, receiver.name, name, value)
        return None
    if isinstance(found.definition, FunctionDef) and world.is_provider(found.definition.module):
        on = receiver.definition if isinstance(receiver, ClassValue) else None
        heir = on if on is not found.owner else None
        on_object = isinstance(receiver, Instance)
        return Replaced(found.definition, found.owner, None, name, value, on_object, heir=heir)
    return None


def members_replaced(world: World, patch: Replaced) -> Iterator[Replaced]:
    """The methods that a class put in the place of another has of its own for the other's."""
    whole = patch.original
    if not isinstance(whole, ClassDef) or not isinstance(patch.replacement, ClassValue):
        return
    ours = mro(world, patch.replacement.definition)
    if whole in ours.order:
        return  # it is a subclass: what it overrides is asked as such
    seen: set[str] = set()
    for owner in ours.order:
        if not isinstance(owner, ClassDef) or world.is_provider(owner.module):
            continue
        for name in owner.members:
            found = lookup(world, Instance(ClassValue(whole)), name)
            function = live_method(world, owner, name)
            if name in seen or name.startswith("__") or function is None:
                continue
            seen.add(name)
            if isinstance(found.definition, FunctionDef) and world.is_provider(found.definition.module):
                value = FunctionValue(function)
                yield Replaced(found.definition, whole, patch.module, name, value, False, whole)


def original_signature(world: World, patch: Replaced) -> Signature | None:
    """How callers meet the original: a method without its receiver."""
    if isinstance(patch.original, ClassDef):
        return signature_of(world, ClassValue(patch.original))
    if patch.owner is None:
        return signature_of(world, FunctionValue(patch.original))
    return _as_member(world, FunctionValue(patch.original), patch.owner)


def replacement_signature(world: World, patch: Replaced) -> Signature | None:
    """How the same callers meet the replacement."""
    value = patch.replacement
    if patch.owner is None:
        return signature_of(world, value)
    if patch.on_object:
        return signature_of(world, value)
    match value:
        case FunctionValue(receiver=None, static=False):
            return _as_member(world, value, patch.owner)
        case FunctionValue() | PartialValue():
            return signature_of(world, value)
        case LambdaValue(node=node):
            found = signature_of(world, value)
            if found is None or not (node.args.posonlyargs or node.args.args):
                return found if node.args.vararg else None
            return replace(found, parameters=found.parameters[1:])
    return None


def _as_member(world: World, value: FunctionValue, owner: ClassDef) -> Signature | None:
    function = value.definition
    kind = kind_of(world, function)
    if kind in ("property", "unknown"):
        return None
    if kind == "static":
        return signature_of(world, FunctionValue(function, None, value.closure, True))
    return signature_of(world, FunctionValue(function, Instance(ClassValue(owner)), value.closure))


def candidate_sites(world: World, patch: Replaced) -> list[Site]:
    """The places of the provider that may use what is replaced."""
    return member_sites(world, patch.name) if patch.owner is not None else function_sites(world, patch.name)


def reaches_patch(world: World, patch: Replaced, site: Site) -> Reach | None:
    """Whether a site meets the replacement; None where it meets something else or nothing says so."""
    if patch.owner is not None:
        reach = _reaches_method(world, patch, site)
        return reach if reach is None or patch.heir is None else _reaches_heir(world, patch.heir, site, reach)
    return "sure" if how_module_site(world, patch, site) == "through" else None


def _reaches_method(world: World, patch: Replaced, site: Site) -> Reach | None:
    if patch.whole is not None:
        return _reaches_whole(world, patch, patch.whole, site)
    own = own_receiver(site)
    if own is not None:
        found = lookup(world, Instance(ClassValue(own.owner)), patch.name)
        if found.definition is patch.original:
            return "sure"
        return None
    callee = callee_of(world, site)
    known = [o for o in options(callee) if isinstance(o, FunctionValue)]
    if any(o.definition is patch.original and o.receiver is not None for o in known):
        return "sure"
    if callee is not UNKNOWN:
        return "assumed" if _may_be_of(world, patch.holder, known) else None
    if is_super(site.node):
        return None
    family = mro(world, patch.owner).order if patch.owner is not None else ()
    return "assumed" if all(owner in family for owner in definers(world, patch.name)) else None


def _reaches_heir(world: World, heir: ClassDef, site: Site, reach: Reach) -> Reach | None:
    """Of a place that calls an inherited method: whether the object may be one of the class it is replaced on."""
    function = site.function
    if is_super(site.node):
        above = mro(world, function.owner).order[1:] if function is not None and function.owner else ()
        return reach if heir in above else None
    own = own_receiver(site)
    if own is not None:
        runs = function is not None and lookup(world, Instance(ClassValue(heir)), function.name).definition
        return reach if runs is function or heir in mro(world, own.owner).order else None
    found: Reach | None = None
    for option in options(callee_of(world, site)):
        match option:
            case FunctionValue(receiver=Instance(cls=ClassValue(definition=cls), exact=exact)):
                if heir in mro(world, cls).order:
                    return reach
                if not exact and cls in mro(world, heir).order:
                    found = "assumed"
            case _:
                found = "assumed"
    return found


def _may_be_of(world: World, owner: ClassDef | None, callees: list[FunctionValue]) -> bool:
    """Whether the receiver may be declared to be of a class above the patched one."""
    above = mro(world, owner).order if owner is not None else ()
    return any(
        isinstance(callee.receiver, Instance)
        and not callee.receiver.exact
        and isinstance(callee.receiver.cls, ClassValue)
        and callee.receiver.cls.definition in above
        for callee in callees
    )


def _reaches_whole(world: World, patch: Replaced, whole: ClassDef, site: Site) -> Reach | None:
    """A site on an object of the replaced class; it is ours where the site's module has the patch."""
    if own_receiver(site) is not None:
        return None
    for option in options(callee_of(world, site)):
        match option:
            case FunctionValue(receiver=Instance(cls=ClassValue(definition=cls))) if cls is whole:
                return (
                    "sure"
                    if site.module.name == patch.module or cls.module.name == patch.module
                    else "assumed"
                )
    return None


def how_module_site(world: World, patch: Replaced, site: Site) -> Literal["through", "copy", None]:
    """How a site gets a module's name: through the patched module, or from a copy made on import."""
    node = site.node
    if isinstance(node, ast.Attribute):
        base = _value_at(world, site, node.value)
        return "through" if base == ModuleValue(patch.module or "") else None
    if not isinstance(node, ast.Name) or _is_local(site, node.id):
        return _late_import(world, patch, site, node)
    if site.module.name == patch.module:
        return "through" if patch.name in site.module.bindings and node.id == patch.name else None
    if node.id != patch.name or not any(b.kind == "from" for b in site.module.bindings.get(node.id, ())):
        return None
    value = world.member(site.module, node.id)
    match value:
        case FunctionValue(definition=definition) | ClassValue(definition=definition):
            return "copy" if definition is patch.original else None
    return None


def _value_at(world: World, site: Site, node: ast.expr) -> Value:
    match node:
        case ast.Name(id=name):
            if _is_local(site, name):
                return _local_import(world, site, name)
            value = world.member(site.module, name)
            return UNKNOWN if isinstance(value, Missing) else value
        case ast.Attribute(value=base, attr=attr):
            receiver = _value_at(world, site, base)
            if isinstance(receiver, ModuleValue):
                return lookup(world, receiver, attr).value
    return UNKNOWN


def _is_local(site: Site, name: str) -> bool:
    """Whether the function around a site binds the name itself."""
    if site.function is None:
        return False
    for inner in nodes_of(site.function.node):
        match inner:
            case ast.Name(id=found, ctx=ast.Store()) | ast.arg(arg=found) if found == name:
                return True
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                if any((a.asname or a.name.partition(".")[0]) == name for a in names):
                    return True
    return False


def _imports_in(site: Site, name: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, ast.alias]]:
    assert site.function is not None
    for inner in nodes_of(site.function.node):
        if isinstance(inner, (ast.Import, ast.ImportFrom)):
            for alias in inner.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    yield inner, alias


def _local_import(world: World, site: Site, name: str) -> Value:
    for statement, alias in _imports_in(site, name):
        if isinstance(statement, ast.ImportFrom):
            module = site.module.absolute(statement.module, statement.level)
            return world.from_import(module, alias.name)
        return world.imported(alias.name if alias.asname else alias.name.partition(".")[0])
    return UNKNOWN


def _late_import(world: World, patch: Replaced, site: Site, node: ast.expr) -> Literal["through", None]:
    """A from-import inside a function reads the module each time it runs."""
    if not isinstance(node, ast.Name) or node.id != patch.name or site.function is None:
        return None
    for statement, alias in _imports_in(site, node.id):
        if isinstance(statement, ast.ImportFrom) and alias.name == patch.name:
            if site.module.absolute(statement.module, statement.level) == patch.module:
                return "through"
    return None
