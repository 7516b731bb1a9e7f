"""Import statements: what they bind, and what happens where they cannot."""

from __future__ import annotations

import ast

from driftcheck.infer.frame import Frame, forget
from driftcheck.infer.moves import moved_value
from driftcheck.infer.values import (
    UNKNOWN,
    Missing,
    ModuleValue,
    Value,
)


def run_import(frame: Frame, node: ast.Import) -> None:
    """Run ``import a.b``."""
    for alias in node.names:
        value = frame.world.imported(alias.name)
        _heard_import(frame, node, alias, alias.name, value)
        if frame.env is None:
            return
        if alias.asname:
            frame.env[alias.asname] = _usable(frame, value, alias.name)
        else:
            top = alias.name.split(".")[0]
            frame.env[top] = _usable(frame, frame.world.imported(top), top)
            forget(frame.env, top)


def run_import_from(frame: Frame, node: ast.ImportFrom) -> None:
    """Run ``from a import b``."""
    module = frame.scope.module.absolute(node.module, node.level)
    if module is None:
        return
    place = frame.world.imported(module)
    for alias in node.names:
        if alias.name == "*":
            _heard_import(frame, node, alias, module, place)
            if frame.env is not None:
                _bind_star(frame, place)
            continue
        value = frame.world.from_import(module, alias.name)
        _heard_import(frame, node, alias, module, value)
        if frame.env is None:
            return
        frame.env[alias.asname or alias.name] = _usable(frame, value, module, alias.name)


def _usable(frame: Frame, value: Value, module: str, name: str | None = None) -> Value:
    """What an import leaves to be used: of something that is gone the definition at its new place."""
    if not isinstance(value, Missing):
        return value
    if frame.world.index_of(module) is not frame.world.provider:
        return UNKNOWN
    return moved_value(frame.world, module, name)


def _bind_star(frame: Frame, place: Value) -> None:
    definition = frame.world.module(place.name) if isinstance(place, ModuleValue) else None
    if definition is None or frame.env is None:
        return
    listed = frame.world.exports(definition)
    names = (
        listed if listed is not None else frozenset(n for n in definition.bindings if not n.startswith("_"))
    )
    for name in names:
        if name is not None and name != "*":
            frame.env[name] = _usable(frame, frame.world.member(definition, name), definition.name, name)


def _heard_import(frame: Frame, node: ast.stmt, alias: ast.alias, module: str, value: Value) -> None:
    if frame.hears is not None:
        frame.hears.imported(frame, node, alias, module, value)
    if not isinstance(value, Missing):
        return
    missing_module = value.symbol == module or module.startswith(value.symbol + ".")
    exceptions = ("ImportError", "ModuleNotFoundError") if missing_module else ("ImportError",)
    if frame.catches(*exceptions, "Exception", "BaseException"):
        frame.raise_("ModuleNotFoundError" if missing_module else "ImportError")
