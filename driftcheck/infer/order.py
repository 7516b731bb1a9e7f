"""Where a function takes results apart in the order in which it handed things in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from driftcheck.index.nodes import nodes_of
from driftcheck.infer.repeats import Function

Test = Callable[[ast.AST], bool]
_SPLITTERS = frozenset({"split", "tensor_split", "split_with_sizes", "array_split"})


@dataclass
class Origins:
    """What each name of a function is made of: other names, and calls, whatever the order of statements."""

    names: dict[str, set[str]] = field(default_factory=dict)
    calls: dict[str, set[ast.Call]] = field(default_factory=dict)

    def add(self, target: ast.AST, source: ast.AST) -> None:
        """Note that what a target binds comes from an expression."""
        names, calls = _parts(source)
        for node in nodes_of(target):
            if isinstance(node, ast.Name):
                self.names.setdefault(node.id, set()).update(names - {node.id})
                self.calls.setdefault(node.id, set()).update(calls)

    def of(self, node: ast.AST) -> tuple[set[str], set[ast.Call]]:
        """Every name and call that an expression goes back to."""
        names, calls = _parts(node)
        pending = list(names)
        while pending:
            name = pending.pop()
            calls |= self.calls.get(name, set())
            for other in self.names.get(name, ()):
                if other not in names:
                    names.add(other)
                    pending.append(other)
        return names, calls


def _parts(node: ast.AST) -> tuple[set[str], set[ast.Call]]:
    names: set[str] = set()
    calls: set[ast.Call] = set()
    for inner in nodes_of(node):
        if isinstance(inner, ast.Name) and inner.id not in ("self", "cls"):
            names.add(inner.id)
        elif isinstance(inner, ast.Call):
            calls.add(inner)
    return names, calls


def origins_of(function: Function) -> Origins:
    """The origins of a function's names."""
    found = Origins()
    for node in nodes_of(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    found.add(target, value)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
            ):
                found.add(target, value)
            case ast.AugAssign(target=target, value=value):
                found.add(target, value)
            case ast.For(target=target, iter=source) | ast.AsyncFor(target=target, iter=source):
                found.add(target, source)
            case ast.comprehension(target=target, iter=source):
                found.add(target, source)
            case ast.Call(
                func=ast.Attribute(value=ast.Name() as holder, attr="append" | "extend"), args=[value]
            ):
                found.add(holder, value)
    return found


def handed_in(function: Function, call: ast.Call) -> set[str]:
    """The names that a function goes through one by one where it makes a call: the order of handing in."""
    names: set[str] = set()
    for node in nodes_of(function):
        match node:
            case ast.For(iter=source) | ast.AsyncFor(iter=source) if _holds(node, call) and not _holds(
                source, call
            ):
                names |= _parts(source)[0]
            case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators) if _holds(
                node, call
            ):
                names |= set().union(*[_parts(g.iter)[0] for g in generators])
    if not names:
        for argument in [*call.args, *[k.value for k in call.keywords]]:
            names |= _parts(argument)[0]
    return {name for name in names if name not in _BUILTINS}


_BUILTINS = frozenset(
    {"enumerate", "zip", "range", "len", "list", "tuple", "sorted", "reversed", "iter", "torch", "np"}
)


def _holds(tree: ast.AST, node: ast.AST) -> bool:
    return any(inner is node for inner in nodes_of(tree))


def taken_apart(function: Function, order: set[str], theirs: set[ast.Call], after: int) -> Iterator[ast.expr]:
    """Expressions after a line that pair results of ``theirs`` with what was handed in, by position alone.

    By slices from a running offset, ``split`` into lengths, ``zip``, the number that ``enumerate`` gives.
    """
    origins = origins_of(function)

    def ours(node: ast.AST) -> bool:
        names, calls = origins.of(node)
        return bool(names & order) and not calls & theirs

    def given_back(node: ast.AST) -> bool:
        return bool(origins.of(node)[1] & theirs)

    for node in nodes_of(function):
        match node:
            case ast.For(target=target, iter=source, body=body) if node.lineno > after and ours(source):
                offsets = {n.target.id for s in body for n in nodes_of(s) if _advances(n)}  # type: ignore[attr-defined]
                numbers = _numbers(target, source)
                yield from _in_round(body, offsets, numbers, given_back)
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=args) if (
                node.lineno > after
            ):
                if name == "zip" and _pairs(args, ours, given_back):
                    yield node
                elif (
                    name in _SPLITTERS
                    and any(ours(a) for a in args)
                    and (given_back(node.func) or any(map(given_back, args)))
                ):
                    yield node


def _advances(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name)
    )


def _numbers(target: ast.expr, source: ast.expr) -> set[str]:
    """The name that ``enumerate`` or ``range(len(…))`` counts with."""
    match source:
        case ast.Call(func=ast.Name(id="enumerate")):
            return (
                {target.elts[0].id}
                if isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name)
                else set()
            )
        case ast.Call(func=ast.Name(id="range")):
            return {target.id} if isinstance(target, ast.Name) else set()
    return set()


def _in_round(
    body: list[ast.stmt], offsets: set[str], numbers: set[str], given_back: Test
) -> Iterator[ast.expr]:
    for statement in body:
        for node in nodes_of(statement):
            if (
                not isinstance(node, ast.Subscript)
                or not isinstance(node.ctx, ast.Load)
                or not given_back(node.value)
            ):
                continue
            match node.slice:
                case ast.Slice(lower=ast.Name(id=start)) if start in offsets:
                    yield node
                case ast.Name(id=number) if number in numbers:
                    yield node


def _pairs(args: list[ast.expr], ours: Test, given_back: Test) -> bool:
    return any(ours(a) and not given_back(a) for a in args) and any(given_back(a) for a in args)
