"""Calls that ask for the provider's version, or make something of one that can be compared."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.infer.frame import Frame
from driftcheck.infer.signatures import Arguments, first, text_of
from driftcheck.infer.values import UNKNOWN, Const, Container, DictOf, External, Instance, Value, options


def _version_of(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    tree = frame.world.provider.tree
    name = text_of(first(arguments))
    if name is None or tree.name is None or tree.version is None:
        return UNKNOWN
    same = name.lower().replace("_", "-") == tree.name.lower().replace("_", "-")
    return Const(tree.version) if same else UNKNOWN


@dataclass(frozen=True)
class Distribution:
    """An installed distribution that was asked for by name, as far as its version goes."""

    version: str

    def part(self, name: str) -> Value:
        """Its ``version``, or that as ``pkg_resources`` parses it."""
        if name == "version":
            return Const(self.version)
        try:
            return Const(Version(self.version))
        except InvalidVersion:
            return UNKNOWN


def _distribution(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    version = _version_of(frame, node, arguments)
    return Const(Distribution(version.value)) if isinstance(version, Const) else UNKNOWN


def _metadata(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """The metadata of a distribution: of the provider's the version is known, whatever its case."""
    version = _version_of(frame, node, arguments)
    if not isinstance(version, Const):
        return UNKNOWN
    return DictOf((("Version", version), ("version", version)))


def _distributions(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """``packages_distributions()``: which distribution the provider's packages come from is known."""
    tree = frame.world.provider.tree
    if tree.name is None:
        return UNKNOWN
    names = Container("list", Const(tree.name), (Const(tree.name),))
    return DictOf(tuple((package, names) for package in tree.packages))


def _version(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    text = text_of(first(arguments))
    if text is None:
        value = first(arguments)
        if isinstance(value, Const) and isinstance(value.value, Version):
            return value
        text = _unless_overridden(value)
    try:
        return Const(Version(text)) if text is not None else UNKNOWN
    except InvalidVersion:
        return UNKNOWN


def _unless_overridden(value: Value) -> str | None:
    """The version that a string is unless a setting says otherwise: a known one, or any string at all."""
    known = [text for option in options(value) if (text := text_of(option)) is not None]
    rest = [option for option in options(value) if text_of(option) is None]
    any_string = Instance(External("builtins.str"))
    return known[0] if len(known) == 1 and all(option == any_string for option in rest) else None


def _specifier_set(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    text = text_of(first(arguments))
    try:
        return Const(SpecifierSet(text)) if text is not None else UNKNOWN
    except InvalidSpecifier:
        return UNKNOWN


def _specifier(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    text = text_of(first(arguments))
    try:
        return Const(Specifier(text)) if text is not None else UNKNOWN
    except InvalidSpecifier:
        return UNKNOWN


def _requirement(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    text = text_of(first(arguments))
    try:
        return Const(Requirement(text)) if text is not None else UNKNOWN
    except InvalidRequirement:
        return UNKNOWN


VERSION_CALLS: dict[str, Callable[[Frame, ast.Call, Arguments], Value | None]] = {
    "importlib.metadata.version": _version_of,
    "importlib_metadata.version": _version_of,
    "importlib.metadata.distribution": _distribution,
    "importlib_metadata.distribution": _distribution,
    "pkg_resources.get_distribution": _distribution,
    "importlib.metadata.metadata": _metadata,
    "importlib_metadata.metadata": _metadata,
    "importlib.metadata.packages_distributions": _distributions,
    "importlib_metadata.packages_distributions": _distributions,
    "packaging.version.Version": _version,
    "packaging.version.parse": _version,
    "packaging.specifiers.Specifier": _specifier,
    "packaging.specifiers.SpecifierSet": _specifier_set,
    "packaging.requirements.Requirement": _requirement,
    "pkg_resources.parse_version": _version,
    "distutils.version.LooseVersion": _version,
    "looseversion.LooseVersion": _version,
}
