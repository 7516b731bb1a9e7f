"""Whether a call of the consumer can be reached again on the same object, and what runs in between."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.frame import path_of
from driftcheck.infer.world import World

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Repeat:
    """How a call is reached again: ``region`` is all that runs from one time to the next.

    ``line`` is where the second round starts. ``by_callers``: no loop was seen; the method that makes
    the call is public and nothing keeps its callers from calling it twice.
    """

    line: int
    region: tuple[ast.AST, ...]
    by_callers: bool = False


def parents_of(world: World, module: Module) -> dict[ast.AST, ast.AST]:
    """The parent of every node of a consumer's module; empty where it cannot be parsed."""
    key = ("parents", module.name)
    if key not in world.cache:
        found: dict[ast.AST, ast.AST] = {}
        try:
            for node in module.source.nodes:
                for child in ast.iter_child_nodes(node):
                    found[child] = node
        except SourceFault:
            pass
        world.cache[key] = found
    return world.cache[key]


def chain_up(parents: dict[ast.AST, ast.AST], node: ast.AST) -> Iterator[ast.AST]:
    """The nodes around a node, innermost first."""
    while (above := parents.get(node)) is not None:
        yield above
        node = above


def enclosing_function(parents: dict[ast.AST, ast.AST], node: ast.AST) -> Function | None:
    """The function whose body holds a node; None at module level, in a lambda or in a class body."""
    for above in chain_up(parents, node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return above
        if isinstance(above, (ast.Lambda, ast.ClassDef)):
            return None
    return None


def repeat_of(world: World, module: Module, call: ast.Call) -> Repeat | None:
    """How ``receiver.method()`` is reached again with the same receiver; None where that is not seen."""
    receiver = path_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
    if receiver is None or receiver in ("self", "cls"):
        return None
    parents = parents_of(world, module)
    loop = _loop_around(parents, call, receiver)
    if loop is not None:
        return Repeat(loop.lineno, _reached_from(module, parents, [loop]))
    function = enclosing_function(parents, call)
    if function is None or not _outlives(parents, function, receiver):
        return None
    for caller in _calls_of(module, parents, function):
        loop = _loop_around(parents, caller, receiver)
        if loop is not None:
            return Repeat(loop.lineno, _reached_from(module, parents, [loop]))
    cls = parents.get(function)
    if isinstance(cls, ast.ClassDef) and not function.name.startswith("_") and not cls.name.startswith("_"):
        return Repeat(function.lineno, _reached_from(module, parents, [cls]), by_callers=True)
    return None


def _loop_around(parents: dict[ast.AST, ast.AST], node: ast.AST, receiver: str) -> ast.stmt | ast.expr | None:
    """The innermost loop of the same function that comes back to a node without binding its receiver anew."""
    ends: set[str] = {"next"}
    inner = node
    for above in chain_up(parents, node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return None
        if isinstance(above, _COMPREHENSIONS) and not _within(above.generators[0].iter, node):
            return above if not _binds(above, receiver) else None
        block = _block_with(above, inner)
        if block is not None:
            at = next(number for number, one in enumerate(block) if one is inner)
            ends = _then(ends, block[at + 1 :])
        elif (
            isinstance(inner, (ast.expr, ast.withitem))
            and isinstance(above, ast.stmt)
            and not isinstance(above, _LOOPS)
        ):
            # The node is part of the statement itself: the test of an ``if``, the value of a ``return``.
            ends = _statement_ends(above)
        if isinstance(above, ast.Try):
            ends = _out_of_try(above, block, ends)
        if isinstance(above, _LOOPS):
            if isinstance(above, ast.While) and inner is above.test:
                ends = ends_of(above.body)
                block = above.body
            if block is above.body and ends & {"next", "continue"}:
                return above if not _binds(above, receiver) else None
            ends = (ends & {"return", "raise"}) | ({"next"} if ends & {"next", "break"} else set())
        inner = above
    return None


def _out_of_try(statement: ast.Try, block: list[ast.stmt] | None, ends: set[str]) -> set[str]:
    """How a ``try`` ends once one of its blocks (None: a handler) has ended in one of some ways."""
    if block is statement.body:
        ends = _then(ends, statement.orelse)
    last = ends_of(statement.finalbody)
    return ends if "next" in last or block is statement.finalbody else last


def _block_with(statement: ast.AST, inner: ast.AST) -> list[ast.stmt] | None:
    """The suite of a compound statement that holds ``inner`` directly."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(statement, name, None)
        if isinstance(block, list) and any(inner is one for one in block):
            return block
    return None


def _then(ends: set[str], rest: list[ast.stmt]) -> set[str]:
    return (ends - {"next"}) | ends_of(rest) if "next" in ends else ends


def _within(tree: ast.AST, node: ast.AST) -> bool:
    return any(node is inner for inner in nodes_of(tree))


def ends_of(block: list[ast.stmt]) -> set[str]:
    """How a block can end: ``next``, ``break``, ``continue``, ``return`` or ``raise``."""
    ends: set[str] = set()
    for statement in block:
        found = _statement_ends(statement)
        ends |= found - {"next"}
        if "next" not in found:
            return ends
    return ends | {"next"}


def _statement_ends(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.Return():
            return {"return"}
        case ast.Raise():
            return {"raise"}
        case ast.Break():
            return {"break"}
        case ast.Continue():
            return {"continue"}
        case ast.If(body=body, orelse=orelse):
            return ends_of(body) | ends_of(orelse)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return ends_of(body)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            ends = ends_of([*body, *orelse])
            for handler in handlers:
                ends |= ends_of(handler.body)
            last = ends_of(final)
            return ends if "next" in last else last
        case ast.While(test=ast.Constant(value=True), body=body):
            inner = ends_of(body)
            return (inner & {"return", "raise"}) | ({"next"} if "break" in inner else set())
        case ast.For(body=body) | ast.AsyncFor(body=body) | ast.While(body=body):
            return (ends_of(body) & {"return", "raise"}) | {"next"}
        case ast.Match(cases=cases):
            return {"next"}.union(*[ends_of(case.body) for case in cases])
    return {"next"}


def _binds(tree: ast.AST, receiver: str) -> bool:
    """Whether something inside assigns the receiver or what it hangs on."""
    parts = receiver.split(".")
    prefixes = {".".join(parts[: n + 1]) for n in range(len(parts))}
    return any(
        isinstance(node, (ast.Name, ast.Attribute))
        and isinstance(node.ctx, (ast.Store, ast.Del))
        and path_of(node) in prefixes
        for node in nodes_of(tree)
    )


def _outlives(parents: dict[ast.AST, ast.AST], function: Function, receiver: str) -> bool:
    """Whether the receiver is the same object at the function's next call: ``self.x``, or a module's name."""
    if _binds(function, receiver):
        return False
    root, _, rest = receiver.partition(".")
    names = {a.arg for a in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}
    first = next(iter([*function.args.posonlyargs, *function.args.args]), None)
    if first is not None and root == first.arg and isinstance(parents.get(function), ast.ClassDef):
        return bool(rest)
    return root not in names and isinstance(parents.get(function), ast.Module)


def _calls_of(module: Module, parents: dict[ast.AST, ast.AST], function: Function) -> Iterator[ast.Call]:
    """Calls in the same module that reach a function by name: ``f()``, or ``self.f()`` of the same class."""
    owner = parents.get(function)
    is_method = isinstance(owner, ast.ClassDef)
    for node in nodes_of(owner if is_method and owner is not None else module.source.tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if not is_method and name == function.name:
                yield node
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if (
                is_method and name == function.name
            ):
                yield node


def _reached_from(
    module: Module, parents: dict[ast.AST, ast.AST], start: list[ast.AST]
) -> tuple[ast.AST, ...]:
    """The regions and every function of the module that they call or name, one after another."""
    functions: dict[str, list[ast.AST]] = {}
    for node in parents:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            functions.setdefault(node.name, []).append(node)
    found = list(start)
    pending = list(start)
    while pending:
        for node in nodes_of(pending.pop()):
            name = (
                node.attr
                if isinstance(node, ast.Attribute)
                else node.id
                if isinstance(node, ast.Name)
                else ""
            )
            for function in functions.pop(name, ()):
                found.append(function)
                pending.append(function)
    return tuple(found)


def names_in(region: tuple[ast.AST, ...]) -> set[str]:
    """Every attribute, name and string that a region mentions, docstrings aside."""
    found: set[str] = set()
    for tree in region:
        for node in nodes_of(tree):
            match node:
                case ast.Attribute(attr=name) | ast.Name(id=name):
                    found.add(name)
                case ast.Constant(value=str(text)) if text.isidentifier():
                    found.add(text)
    return found


__all__ = ["Repeat", "chain_up", "enclosing_function", "ends_of", "names_in", "parents_of", "repeat_of"]
