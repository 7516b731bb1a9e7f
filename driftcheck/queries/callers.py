"""Who calls a function, method or class of the provider: by what the name stands for, not by the name alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import ClassValue, FunctionValue, ModuleValue, Value, options
from driftcheck.infer.world import World
from driftcheck.queries.occurrences import Occurrence

_IMPORTED = re.compile(r"^[ \t]+(?:from|import)\b", re.MULTILINE)


def split_calls(
    sites: Iterable[Occurrence], signature: Signature | None, is_meant: Callable[[Occurrence], bool]
) -> tuple[list[Occurrence], int]:
    """The calls among ``sites`` that are of the symbol, and how many more there are by its mere name."""
    calls = [one for one in sites if one.call is not None]
    meant = [one for one in calls if is_meant(one) and fits(one.call, signature)]
    return meant, len(calls) - len(meant)


def fits(call: ast.Call | None, signature: Signature | None) -> bool:
    """Whether a call passes nothing that the signature does not take."""
    if call is None or signature is None:
        return True
    kinds = {one.kind for one in signature.parameters}
    keywords = {one.arg for one in call.keywords if one.arg is not None}
    if not (signature.open_keywords or signature.silent_extra or "var_keyword" in kinds):
        if not keywords <= signature.keywords():
            return False
    if signature.open_positional or "var_positional" in kinds:
        return True
    plain = [one for one in call.args if not isinstance(one, ast.Starred)]
    return len(plain) <= len(signature.positional())


def stands_for(world: World, site: Occurrence, definition: ClassDef | FunctionDef) -> bool:
    """Whether a plain name or ``module.name`` at a place is the definition, by what is imported there."""
    node = site.node
    if isinstance(node, ast.Name):
        return any(_is(value, definition) for value in _named(world, site.module, node.id))
    if not isinstance(node, ast.Attribute):
        return False
    for holder in _holders(world, site.module, node.value):
        if isinstance(holder, ModuleValue):
            module = world.module(holder.name)
            if module is not None and _is(world.member(module, node.attr), definition):
                return True
    return False


def _is(value: Value, definition: ClassDef | FunctionDef) -> bool:
    return any(
        isinstance(one, (ClassValue, FunctionValue)) and one.definition is definition
        for one in options(value)
    )


def _holders(world: World, module: Module, node: ast.expr) -> list[Value]:
    """What a name or a chain of names before the dot may be: modules are what is looked for."""
    if isinstance(node, ast.Name):
        return _named(world, module, node.id)
    if isinstance(node, ast.Attribute):
        inner = [one for one in _holders(world, module, node.value) if isinstance(one, ModuleValue)]
        modules = [world.module(one.name) for one in inner]
        return [world.member(one, node.attr) for one in modules if one is not None]
    return []


def _named(world: World, module: Module, name: str) -> list[Value]:
    """What a name is at the top of a module, or by an import inside one of its functions."""
    return [world.member(module, name), *_inner_imports(world, module).get(name, ())]


def _inner_imports(world: World, module: Module) -> dict[str, list[Value]]:
    key = ("inner-imports", module.name)
    found: dict[str, list[Value]] | None = world.cache.get(key)
    if found is None:
        found = world.cache[key] = {}
        for node in _import_nodes(module):
            if isinstance(node, ast.ImportFrom):
                home = module.absolute(node.module, node.level)
                for alias in node.names if home is not None else ():
                    value = world.from_import(home, alias.name)
                    found.setdefault(alias.asname or alias.name, []).append(value)
            else:
                for alias in node.names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    found.setdefault(alias.asname or whole, []).append(world.imported(whole))
    return found


def _import_nodes(module: Module) -> list[ast.Import | ast.ImportFrom]:
    if _IMPORTED.search(module.source.blank) is None:
        return []
    try:
        return [
            n for n in module.source.nodes if isinstance(n, (ast.Import, ast.ImportFrom)) and n.col_offset
        ]
    except SourceFault:
        return []
