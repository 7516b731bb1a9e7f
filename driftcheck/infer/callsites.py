"""Where the provider calls a method or function of a given name, and on what."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.mentions import mentions
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.places import Place, places_of
from driftcheck.index.source import SourceFault
from driftcheck.index.tree_index import Index
from driftcheck.infer.partials import bound_calls
from driftcheck.infer.run import callee_in
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.values import UNKNOWN, ClassValue, FunctionValue, Instance, Value
from driftcheck.infer.world import World

_OWN_TESTS = re.compile(r"(?:^|/)tests/")
"""Where a provider tests itself: what is called there is called on what those tests make."""
MAX_FILES = 12
"""In how many files of a consumer a name is looked for."""
Wanted = Callable[[ast.AST], bool]
"""Which nodes of a body are references to a name."""


@dataclass(frozen=True, eq=False)
class Site:
    """One reference ``x.name`` or ``name`` in the provider; ``call`` is None where it is only read."""

    module: Module
    function: FunctionDef | None
    node: ast.expr
    call: ast.Call | None
    awaited: bool = False

    @property
    def line(self) -> int:
        return (
            self.node.lineno
            if not isinstance(self.node, ast.Attribute)
            else self.node.end_lineno or self.node.lineno
        )


def member_sites(world: World, name: str) -> list[Site]:
    """Every place where the provider reads ``.name`` of something."""
    index = world.provider
    return _sites(world, index, rf"\.\s*{re.escape(name)}\b", mentions(index).files(name), _is_member(name))


def function_sites(world: World, name: str) -> list[Site]:
    """Every place where the provider calls ``x.name(…)`` or the plain ``name(…)``."""
    index = world.provider
    text = rf"\b{re.escape(name)}\s*\("
    return _sites(world, index, text, _files(index, name, rf"(?<!def )(?<!class ){text}"), _is_either(name))


def consumer_sites(world: World, name: str, *, called: bool = False) -> list[Site] | None:
    """Every place where the consumer reads ``.name``, or ``called``: calls ``x.name(…)`` or ``name(…)``.

    None where that is in so many files that to read them all would cost more than it tells.
    """
    index = world.consumer
    text = rf"\b{re.escape(name)}\s*\(" if called else rf"\.\s*{re.escape(name)}\b"
    files = _files(index, name, rf"(?<!def )(?<!class ){text}" if called else text)
    if len(files) > MAX_FILES:
        return None
    return _sites(world, index, text, files, _is_either(name) if called else _is_member(name))


def _files(index: Index, name: str, text: str) -> list[str]:
    pattern = re.compile(text.encode())
    return [path for path in index.files_mentioning(name) if pattern.search(index.peek(path))]


def _is_member(name: str) -> Wanted:
    return lambda node: (
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
    )


def _is_either(name: str) -> Wanted:
    def wanted(node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id == name and isinstance(node.ctx, ast.Load)
        return isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)

    return wanted


def _sites(world: World, index: Index, text: str, files: Iterable[str], wanted: Wanted) -> list[Site]:
    key = ("sites", index is world.provider, text)
    if key in world.cache:
        return world.cache[key]
    pattern = re.compile(text)
    found: list[Site] = []
    if index is world.provider:
        files = [path for path in files if not _OWN_TESTS.search(path)]
    for module in _modules(index, files):
        for place in places_of(module, pattern):
            found.extend(_in_place(place, wanted))
    world.cache[key] = found
    return found


def _modules(index: Index, files: Iterable[str]) -> Iterator[Module]:
    for path in files:
        module = index.module(index.module_name(path))
        if module is not None and module.path == path:
            yield module


def _in_place(place: Place, wanted: Wanted) -> list[Site]:
    try:
        node = place.function.node if place.function is not None else place.module.source.parse(place.item)
    except (SourceFault, AssertionError, IndexError):
        return []
    calls: dict[int, ast.Call] = {}
    awaited: set[int] = set()
    hits: list[ast.expr] = []
    for inner in nodes_of(node):
        if isinstance(inner, ast.Call):
            calls[id(inner.func)] = inner
        elif isinstance(inner, ast.Await):
            awaited.add(id(inner.value))
        if wanted(inner):
            hits.append(inner)  # type: ignore[arg-type]
    if place.function is None and isinstance(node, ast.ClassDef):
        hits = [hit for hit in hits if not _in_method(node, hit)]
    sites = []
    for hit in hits:
        call = calls.get(id(hit))
        sites.append(Site(place.module, place.function, hit, call, call is not None and id(call) in awaited))
    if place.function is not None:
        through = bound_calls(nodes_of(node), [hit for hit in hits if id(hit) not in calls])
        sites += [Site(place.module, place.function, hit, call) for hit, call in through]
    return sites


def _in_method(node: ast.ClassDef, hit: ast.expr) -> bool:
    return any(
        isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))
        and s.lineno <= hit.lineno <= (s.end_lineno or 0)
        for s in nodes_of(node)
    )


def arguments_of(call: ast.Call) -> Arguments:
    """A call's arguments by form alone: how many, which keywords, and whether ``*`` or ``**`` hide some."""
    found = Arguments()
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            found.open_positional = True
        else:
            found.positional.append(Argument(UNKNOWN, argument))
    for keyword in call.keywords:
        if keyword.arg is None:
            found.open_keywords = True
        else:
            found.keywords[keyword.arg] = Argument(UNKNOWN, keyword, keyword.arg)
    return found


@dataclass(frozen=True, slots=True)
class Own:
    """A call on the caller's own object (``self``) or class (``cls``) inside a method of ``owner``."""

    owner: ClassDef
    through_class: bool


def own_receiver(site: Site) -> Own | None:
    """Whether a site reads the name on the first parameter of the method that holds it."""
    function = site.function
    if function is None or function.owner is None or not isinstance(site.node, ast.Attribute):
        return None
    base = site.node.value
    if not isinstance(base, ast.Name) or not function.parameters or function.parameters[0].name != base.id:
        return None
    decorated = {d.id for d in function.decorators if isinstance(d, ast.Name)}
    if "staticmethod" in decorated:
        return None
    return Own(
        function.owner, "classmethod" in decorated or function.name in ("__new__", "__init_subclass__")
    )


def callee_of(world: World, site: Site) -> Value:
    """What inference says the site calls; unknown for reads and for what it cannot tell."""
    if site.call is None or site.function is None:
        return UNKNOWN
    function = site.function
    receiver: Value | None = None
    if function.owner is not None:
        from driftcheck.infer.callables import kind_of

        kind = kind_of(world, function)
        if kind == "class":
            receiver = ClassValue(function.owner)
        elif kind != "static":
            receiver = Instance(ClassValue(function.owner))
    return callee_in(world, FunctionValue(function, receiver), site.call)
