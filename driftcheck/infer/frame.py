"""The state of one body being interpreted, and who hears of the uses it meets."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from driftcheck.infer.values import UNKNOWN, External, Missing, Origin, Scope, Value, union
from driftcheck.infer.world import World

if TYPE_CHECKING:
    from driftcheck.infer.attributes import Lookup
    from driftcheck.infer.signatures import Arguments

Env = dict[str, Value]


class Sink(Protocol):
    """Hears of what a body does; the consumer's uses are collected through it."""

    def imported(self, frame: Frame, node: ast.stmt, alias: ast.alias, module: str, value: Value) -> None:
        """An import statement ran; ``value`` is Missing where it raises."""

    def attribute(
        self, frame: Frame, node: ast.AST, receiver: Value, name: str, found: list[tuple[Value, Lookup]]
    ) -> None:
        """An attribute was read; one lookup for each value that the receiver may be."""

    def called(
        self, frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, result: Value
    ) -> None:
        """A call was made."""

    def stored(self, frame: Frame, node: ast.AST, receiver: Value, name: str, value: Value) -> None:
        """An attribute was assigned."""

    def ran(self, frame: Frame, node: ast.stmt) -> None:
        """A statement is about to run."""

    def defined(self, frame: Frame, node: ast.AST, value: Value) -> None:
        """A class or function statement ran."""

    def used(self, frame: Frame, node: ast.AST, how: str, value: Value) -> None:
        """A value was subscripted, unpacked, iterated, tested for truth, awaited, or dropped."""


@dataclass(slots=True)
class Handler:
    """One enclosing ``try`` (or ``suppress``): what it catches without raising again.

    ``unless``: the library without which the handler raises all the same. ``reports``: all that it does is to
    say that something failed.
    """

    catches: frozenset[str]
    unless: str = ""
    reports: bool = False


@dataclass
class Raised:
    """A definite exception on its way to the handler that catches it; ``above``: the builtin ones it derives from."""

    exception: str
    env: Env
    above: frozenset[str] = frozenset()


@dataclass
class Frame:
    """Interpretation state. ``env`` is None while the current point cannot be reached."""

    world: World
    scope: Scope
    env: Env | None
    sink: Sink | None = None
    returns: list[Value] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    handlers: list[Handler] = field(default_factory=list)
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    raised: Raised | None = None
    loop_depth: int = 0
    quiet: int = 0
    exits: list[Env] = field(default_factory=list)
    origins: dict[int, Origin] = field(default_factory=dict)

    @property
    def hears(self) -> Sink | None:
        """The sink, unless a rehearsal is going on."""
        return None if self.quiet else self.sink

    def catches(self, *exceptions: str) -> bool:
        """Whether an enclosing handler of this body catches one of the exceptions."""
        return any(handler.catches.intersection(exceptions) for handler in self.handlers)

    def raise_(self, exception: str) -> None:
        """Note a definite exception: what follows in the block is not reached."""
        if self.env is not None:
            self.raised = Raised(exception, dict(self.env))
            self.env = None

    def read(self, name: str) -> Value:
        """What a name holds here: local, enclosing, module, builtin."""
        if self.env is not None and name in self.env:
            return self.env[name]
        return read_outside(self.world, self.scope, name)


def read_outside(world: World, scope: Scope, name: str) -> Value:
    """What a name holds as seen from a scope, the innermost function's own bindings aside."""
    at: Scope | None = scope
    while at is not None:
        if at.cls is None or at is scope:
            if name in at.env:
                return at.env[name]
        at = at.parent
    module = scope.module
    if name in _BUILTINS and name not in module.bindings and not module.stars:
        return External(f"builtins.{name}")
    value = world.member(module, name)
    if isinstance(value, Missing):
        return External(f"builtins.{name}") if name in _BUILTINS else UNKNOWN
    return value


_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("__")) | {"__import__"}


def merge(envs: list[Env | None]) -> Env | None:
    """The state after paths meet again; None where no path arrives."""
    alive = [env for env in envs if env is not None]
    if not alive:
        return None
    if len(alive) == 1:
        return alive[0]
    first, *rest = alive
    if all(env == first for env in rest):
        return first
    names: dict[str, None] = {}
    for env in alive:
        names.update(dict.fromkeys(env))
    merged: Env = {}
    for name in names:
        values = [env[name] for env in alive if name in env]
        if _is_path(name) and len(values) < len(alive):
            continue
        merged[name] = values[0] if all(v is values[0] for v in values) else union(values)
    return merged


def _is_path(name: str) -> bool:
    """Whether an entry is knowledge about an attribute rather than a variable."""
    return "." in name or name.startswith(("?", "@"))


def path_of(node: ast.AST) -> str | None:
    """``a.b.c`` for a chain of names and attributes; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def bind_name(frame: Frame, name: str, value: Value) -> None:
    """Binds a variable, and drops what was known below it.

    Of a module's variable that was never bound nothing is known: generated modules bind many thousands.
    """
    env = frame.env
    if env is None:
        return
    scope = frame.scope
    is_new = scope.function is None and scope.cls is None and name not in env
    env[name] = value
    if not is_new or name in _BUILTINS or scope.module.stars:
        forget(env, name)


def forget(env: Env, path: str) -> None:
    """Drop what was known below a variable or attribute that has just been assigned."""
    prefixes = (path + ".", "?" + path + ".", "@" + path + ".")
    for key in [k for k in env if k.startswith(prefixes)]:
        del env[key]
