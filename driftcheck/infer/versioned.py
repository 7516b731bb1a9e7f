"""Whether a test in the consumer's code rests on the provider's version.

Asked by the form of the code alone, of tests whose outcome inference could not tell: a name is followed to
what binds it, a call of a function of the consumer's own to what that returns. What asks for a version is
an attribute or a name of the provider that says ``version``, or a call that says ``version``,
``distribution`` or ``metadata`` and is given the provider's name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from driftcheck.index.module import Module
from driftcheck.index.nodes import children_of, nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.frame import path_of
from driftcheck.infer.world import World

MAX_STEPS = 200
"""How many names one test is followed through."""
MAX_DEPTH = 8
"""How far one name is followed through what binds it."""
_ASKS = re.compile(r"version|distribution|metadata|pkg_resources", re.IGNORECASE)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
Chain = tuple[ast.AST, ...]
"""A module's tree and the functions and classes inside one another at a place, innermost last."""


def rests_on_version(world: World, module: Module, test: ast.expr, scopes: Chain) -> bool:
    """Whether what ``test`` comes out as follows from the provider's version."""
    return _Search(world).rests(module, test, scopes)


class _Search:
    def __init__(self, world: World) -> None:
        self.world = world
        self.seen: set[object] = set()
        self.depth = 0

    def rests(self, module: Module, expression: ast.AST, scopes: Chain) -> bool:
        return any(self._asks(module, node, scopes) for node in nodes_of(expression))

    def _asks(self, module: Module, node: ast.AST, scopes: Chain) -> bool:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                return self._name(module, name, scopes)
            case ast.Attribute(attr=attr):
                path = path_of(node)
                if _ASKS.search(attr) and self._is_provider(module, path, scopes):
                    return True
                return (path is not None and self._name(module, path, scopes)) or self._attribute(
                    module, node, scopes
                )
            case ast.Call(func=func, args=args):
                return self._names_provider(args) and self._says_version(module, [func, *args], scopes)
            case ast.Subscript(value=value, slice=index):
                return self._names_provider([index]) and self._says_version(module, [value], scopes)
        return False

    def _names_provider(self, nodes: Iterable[ast.AST]) -> bool:
        tree = self.world.provider.tree
        names = {name.lower().replace("_", "-") for name in (tree.name or "", *tree.packages) if name}
        return any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.lower().replace("_", "-") in names
            for node in nodes
        )

    def _says_version(self, module: Module, nodes: list[ast.expr], scopes: Chain) -> bool:
        """Whether one of the expressions, with the imports behind its names, says that it is about versions."""
        for node in nodes:
            for inner in nodes_of(node):
                match inner:
                    case ast.Attribute(attr=text) | ast.Constant(value=str(text)):
                        words = [text]
                    case ast.Name(id=text):
                        words = [text, *(dotted for dotted, _ in self._imports(module, text, scopes))]
                    case _:
                        continue
                if any(_ASKS.search(word) for word in words):
                    return True
        return False

    def _is_provider(self, module: Module, path: str | None, scopes: Chain) -> bool:
        """Whether a chain of names begins with something that is imported from the provider."""
        top = (path or "").partition(".")[0]
        return any(
            self.world.index_of(dotted) is self.world.provider
            for dotted, _ in self._imports(module, top, scopes)
        )

    def _imports(self, module: Module, name: str, scopes: Chain) -> Iterator[tuple[str, str]]:
        """Where imports get a name from: a module, and the name there (empty: the module itself)."""
        for scope in scopes:
            for node in _bound(scope).get(name, ()):
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        if (alias.asname or alias.name.partition(".")[0]) == name:
                            yield alias.name, ""
                elif isinstance(node, ast.ImportFrom):
                    dotted = module.absolute(node.module, node.level)
                    for alias in node.names:
                        if dotted is not None and (alias.asname or alias.name) == name:
                            yield dotted, alias.name

    def _name(self, module: Module, name: str, scopes: Chain) -> bool:
        for count in range(len(scopes), 0, -1):
            nodes = _bound(scopes[count - 1]).get(name)
            if nodes:
                return any(self._bound_to(module, name, node, scopes[:count]) for node in nodes)
        return False

    def _bound_to(self, module: Module, name: str, node: ast.AST, scopes: Chain) -> bool:
        """Whether what a statement binds a name to rests on the version."""
        key = (module.name, name, id(node))
        if key in self.seen or len(self.seen) > MAX_STEPS or self.depth >= MAX_DEPTH:
            return False
        self.seen.add(key)
        self.depth += 1
        try:
            return self._follow(module, name, node, scopes)
        finally:
            self.depth -= 1

    def _follow(self, module: Module, name: str, node: ast.AST, scopes: Chain) -> bool:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return any(self._imported(dotted, inner) for dotted, inner in self._imports(module, name, scopes))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner_scopes = (*scopes, node)
            returned = [n.value for n in _own(node) if isinstance(n, ast.Return) and n.value is not None]
            return any(self.rests(module, value, inner_scopes) for value in returned)
        return not isinstance(node, ast.ClassDef) and self.rests(module, node, scopes)

    def _imported(self, dotted: str, name: str) -> bool:
        if not name:
            return False
        if self.world.index_of(dotted) is self.world.provider:
            return _ASKS.search(name) is not None
        return self._member(dotted, name)

    def _member(self, dotted: str, name: str) -> bool:
        """Whether a name of a module of the consumer's own rests on the version."""
        if self.world.index_of(dotted) is not self.world.consumer:
            return False
        module = self.world.consumer.module(dotted)
        return module is not None and self._name(module, name, _top(module))

    def _attribute(self, module: Module, node: ast.Attribute, scopes: Chain) -> bool:
        """``compat.OLD``, ``Flags.old`` and ``self.old``."""
        if not isinstance(node.value, ast.Name):
            return False
        name = node.value.id
        for dotted, inner in self._imports(module, name, scopes):
            if self._member(f"{dotted}.{inner}" if inner else dotted, node.attr):
                return True
            other = self.world.consumer.module(dotted) if inner else None
            if other is not None and self._in_class(other, inner, node.attr, _top(other)):
                return True
        if name in ("self", "cls"):
            around = [n for n, scope in enumerate(scopes) if isinstance(scope, ast.ClassDef)]
            return any(self._held(module, node.attr, scopes[: n + 1]) for n in around)
        return self._in_class(module, name, node.attr, scopes)

    def _in_class(self, module: Module, name: str, attr: str, scopes: Chain) -> bool:
        """Whether a class that is seen under a name holds an attribute that rests on the version."""
        return any(
            self._held(module, attr, (*scopes[: number + 1], cls))
            for number, scope in enumerate(scopes)
            for cls in _bound(scope).get(name, ())
            if isinstance(cls, ast.ClassDef)
        )

    def _held(self, module: Module, attr: str, scopes: Chain) -> bool:
        bound = _bound(scopes[-1])
        found = bound.get(attr, []) + bound.get(f"self.{attr}", [])
        return any(self._bound_to(module, attr, node, scopes) for node in found)


def _top(module: Module) -> Chain:
    """A module's own scope; none where it cannot be parsed."""
    try:
        return (module.source.tree,)
    except SourceFault:
        return ()


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope's body, those of functions and classes inside it left out."""
    waiting = list(getattr(scope, "body", ()))
    for node in waiting:  # grows while it is walked
        yield node
        if not isinstance(node, _SCOPES):
            waiting += children_of(node)


def _bound(scope: ast.AST) -> dict[str, list[ast.AST]]:
    """What binds each name in a scope: values, iterables, imports, definitions, what is put into a list."""
    found: dict[str, list[ast.AST]] | None = scope.__dict__.get("_driftcheck_bound")
    if found is None:
        found = scope.__dict__["_driftcheck_bound"] = {}
        for node in _own(scope):
            for name, value in _bindings(node):
                found.setdefault(name, []).append(value)
        if isinstance(scope, ast.ClassDef):
            for method in scope.body:
                for node in _own(method):
                    for name, value in _bindings(node):
                        if name.startswith("self."):
                            found.setdefault(name, []).append(value)
    return found


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    targets: list[ast.expr] = []
    value: ast.AST | None = None
    match node:
        case ast.Assign():
            targets, value = node.targets, node.value
        case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
            targets, value = [node.target], node.value
        case ast.For() | ast.AsyncFor():
            targets, value = [node.target], node.iter
        case ast.withitem(optional_vars=ast.expr() as target):
            targets, value = [target], node.context_expr
        case ast.Call(func=ast.Attribute(value=ast.Name() as target), args=[one]):
            targets, value = [target], one
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, node
        case ast.Import(names=names):
            yield from ((alias.asname or alias.name.partition(".")[0], node) for alias in names)
        case ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name, node) for alias in names)
    if value is None:
        return
    for target in targets:
        yield from _assigned(target, value)


def _assigned(target: ast.AST, value: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What an assignment fills, each with what it is filled with where that is written beside the others."""
    display = (ast.Tuple, ast.List)
    if isinstance(target, display) and isinstance(value, display) and len(target.elts) == len(value.elts):
        for one, part in zip(target.elts, value.elts, strict=True):
            yield from _assigned(one, part)
    else:
        yield from ((path, value) for path in _paths(target))


def _paths(target: ast.AST) -> Iterator[str]:
    """The variables and dotted paths that an assignment to a target fills: not what an attribute is set of."""
    path = path_of(target)
    if path is not None:
        yield path
        return
    for inner in children_of(target):
        yield from _paths(inner)
