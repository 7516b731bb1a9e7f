"""What ``**kwargs`` accepts and requires where it is only handed on."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import ClassValue, FunctionValue, Scope, Value, options
from driftcheck.infer.world import World


@dataclass(frozen=True, slots=True)
class Forward:
    """Keywords that reach somebody: those taken, and those without which the call inside raises."""

    accepts: frozenset[str] = frozenset()
    requires: frozenset[str] = frozenset()


def forwarded(world: World, value: FunctionValue, name: str) -> Forward | None:
    """The keywords that a function's ``**name`` takes and requires; None where it may take any.

    It takes those that its body takes out (``pop``, ``get``, ``["x"]``, ``"x" in name``) and those that
    the receiving callables of ``f(**name)`` accept beyond what is passed to them already. Where nobody gets
    the rest and nothing asks whether there is one, any keyword is let in.
    """
    key = ("forwarded", value.definition, chain_of(value), name)
    return world.remember(key, lambda: _Reader(world, value, name).read(), None)


def chain_of(value: FunctionValue) -> tuple[Value | None, Scope | None]:
    """What decides where a function hands keywords on: the object of its ``super()``, and what it closes over."""
    function = value.definition
    if not any(parameter.kind == "var_keyword" for parameter in function.parameters):
        return None, None
    closure = value.closure if value.closure is not None and value.closure.function is not None else None
    return (value.receiver if "super(" in function.text else None), closure


class _Reader:
    """Reads every use of ``**name`` in one body."""

    def __init__(self, world: World, value: FunctionValue, name: str) -> None:
        self.world = world
        self.value = value
        self.name = name
        self.accepts: set[str] = set()
        self.requires: set[str] = set()
        self.given: set[str] = set()
        self.refuses = False
        self.parents: dict[ast.AST, ast.AST] = {}

    def read(self) -> Forward | None:
        try:
            node = self.value.definition.node
        except SourceFault:
            return None
        self.parents = {child: parent for parent in nodes_of(node) for child in ast.iter_child_nodes(parent)}
        uses = [n for n in nodes_of(node) if isinstance(n, ast.Name) and n.id == self.name]
        if not all(self._understood(use, node) for use in uses) or not self.refuses:
            return None
        requires = self.requires - self.given - self.accepts_by_hand(uses)
        return Forward(frozenset(self.accepts), frozenset(requires))

    def accepts_by_hand(self, uses: list[ast.Name]) -> set[str]:
        """Keys that the body itself asks for: the function copes without them."""
        found: set[str] = set()
        for use in uses:
            match self.parents.get(use):
                case ast.Compare(left=ast.Constant(value=str(key))):
                    found.add(key)
        return found

    def _understood(self, use: ast.Name, function: ast.AST) -> bool:
        parent = self.parents.get(use)
        match parent:
            case ast.keyword(arg=None):
                call = self.parents.get(parent)
                self.refuses = True
                return isinstance(call, ast.Call) and self._handed_on(call, function)
            case ast.Attribute(attr="pop" | "get" | "setdefault" as method):
                match self.parents.get(parent):
                    case ast.Call(args=[ast.Constant(value=str(key)), *_]):
                        self.accepts.add(key)
                        if method == "setdefault":
                            self.given.add(key)
                        return True
                return False
            case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=context):
                self.accepts.add(key)
                if isinstance(context, ast.Store):
                    self.given.add(key)
                return True
            case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()]):
                self.accepts.add(key)
                return True
            case ast.Call(func=ast.Name(id="len" | "bool")) | ast.UnaryOp(op=ast.Not()) | ast.If():
                self.refuses = True
                return True
        return False

    def _handed_on(self, call: ast.Call, function: ast.AST) -> bool:
        """Note what a call passes on to its callee, less what it passes itself; False where that is not known."""
        from driftcheck.infer.callables import signature_of
        from driftcheck.infer.run import callee_in

        if sum(keyword.arg is None for keyword in call.keywords) > 1:
            return False
        explicit = {keyword.arg for keyword in call.keywords if keyword.arg}
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        for option in options(callee_in(self.world, self.value, call)):
            signature = signature_of(self.world, option)
            if signature is None or signature.open_keywords or _may_be_a_subclass(option, call.func):
                return False
            filled = set() if starred else {p.name for p in signature.positional()[: len(call.args)]}
            self.accepts |= set(signature.keywords()) - explicit - filled
            if not starred and self._always_runs(call, function):
                required = {p.name for p in signature.parameters if p.required and p.kind != "positional"}
                self.requires |= required - explicit - filled
        return True

    def _always_runs(self, call: ast.Call, function: ast.AST) -> bool:
        """Whether the call is part of a statement of the body itself, under no condition."""
        at: ast.AST = call
        while (above := self.parents.get(at)) is not None and above is not function:
            if isinstance(
                above,
                (
                    ast.If,
                    ast.For,
                    ast.While,
                    ast.Try,
                    ast.With,
                    ast.IfExp,
                    ast.BoolOp,
                    ast.Lambda,
                    ast.FunctionDef,
                ),
            ):
                return False
            at = above
        return True


def _may_be_a_subclass(callee: Value, written: ast.expr) -> bool:
    """Whether a class is called by another name than its own: declared as that class, it may be one below it."""
    if not isinstance(callee, ClassValue):
        return False
    name = written.attr if isinstance(written, ast.Attribute) else getattr(written, "id", "")
    return name != callee.definition.name
