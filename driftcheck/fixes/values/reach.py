"""An expression of the right name and type that the call's place can see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from driftcheck.fixes.slices import enclosing, text_of
from driftcheck.fixes.values.needed import Derived, Needed
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.annotations import annotated
from driftcheck.infer.attributes import lookup
from driftcheck.infer.constructors import fields_of
from driftcheck.infer.frame import path_of
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, Value, options
from driftcheck.infer.world import World

MAX_STEPS = 2
"""How many attributes away from an argument's object a value of the same name is looked for."""


@dataclass(frozen=True)
class Found:
    """An expression, the attributes from where it starts, and how far it is."""

    code: str
    trail: tuple[str, ...]


def in_reach(needed: Needed) -> Iterator[Derived]:
    """Variables, attributes of what the call passes anyway, and constants passed by that name nearby."""
    chains = _nearest(_chains(needed))
    read = [chain for chain in chains if _read_before(needed, chain.trail)]
    version = needed.job.before.version if needed.job.before else ""
    if len(read) == 1:
        yield Derived(read[0].code, f"where {version} took it from")
    place = _Place(needed)
    if place.has_variable():
        yield Derived(needed.name, "the variable of that name", ("it is chosen by its name",))
    if len(chains) == 1:
        yield Derived(chains[0].code, "the attribute of that name", ("it is chosen by its name",))
    yield from place.constants()


def _nearest(chains: list[Found]) -> list[Found]:
    """Those with the fewest steps."""
    least = min((len(chain.trail) for chain in chains), default=0)
    return [chain for chain in chains if len(chain.trail) == least]


def _chains(needed: Needed) -> list[Found]:
    """Attributes called like the parameter, of the objects that the call already passes."""
    world = needed.job.view.world
    arguments = needed.use.arguments
    found: list[Found] = []
    for argument in [*arguments.positional, *arguments.keywords.values()]:
        node = argument.node.value if isinstance(argument.node, ast.keyword) else argument.node
        start = path_of(node)
        if start is None or node not in _values(needed.call):
            continue
        for option in options(argument.value):
            if isinstance(option, Instance) and isinstance(option.cls, ClassValue):
                found += _attributes(needed, world, option, start, (), MAX_STEPS)
    return list(dict.fromkeys(found))


def _values(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _attributes(
    needed: Needed, world: World, holder: Instance, code: str, trail: tuple[str, ...], steps: int
) -> list[Found]:
    cls = holder.cls
    assert isinstance(cls, ClassValue)
    own = lookup(world, holder, needed.name)
    if own.status == "found" and own.owner is not None and not isinstance(own.value, FunctionValue):
        if needed.admits(own.value):
            return [Found(f"{code}.{needed.name}", (*trail, needed.name))]
        return []
    if steps <= 1:
        return []
    found: list[Found] = []
    for name in _members(world, cls.definition):
        for option in options(_held(world, holder, name)):
            if isinstance(option, Instance) and isinstance(option.cls, ClassValue):
                found += _attributes(needed, world, option, f"{code}.{name}", (*trail, name), steps - 1)
    return found


def _held(world: World, holder: Instance, name: str) -> Value:
    """What an attribute holds: as its field is annotated, else as it is assigned."""
    assert isinstance(holder.cls, ClassValue)
    for one in fields_of(world, holder.cls.definition):
        if one.name == name:
            return annotated(world, one.owner.module, one.annotation)
    return lookup(world, holder, name).value


def _members(world: World, cls: ClassDef) -> list[str]:
    """Public attributes that hold something: fields, and what methods assign."""
    names = dict.fromkeys(one.name for one in fields_of(world, cls))
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef):
            names.update(dict.fromkeys(sorted(owner.simply_assigned)))
    return [name for name in names if not name.startswith("_")]


def _read_before(needed: Needed, trail: tuple[str, ...]) -> bool:
    """Whether known-good's callee read the attribute by the end of this trail itself."""
    call, before = needed.job.earlier_call, needed.job.before
    if call is None or before is None:
        return False
    wanted = trail[-2:]
    for option in options(call.callee):
        function = _body_of(before.world, option)
        if function is None:
            return False
        try:
            reads = {
                _tail(node, len(wanted))
                for node in nodes_of(function.node)
                if isinstance(node, ast.Attribute)
            }
        except SourceFault:
            return False
        if wanted not in reads:
            return False
    return True


def _tail(node: ast.Attribute, length: int) -> tuple[str, ...]:
    """The last attributes of a chain, ``self.a.b`` and ``x.a.b`` alike."""
    path = path_of(node)
    return tuple(path.split(".")[1:][-length:]) if path else ()


def _body_of(world: World, callee: Value) -> FunctionDef | None:
    match callee:
        case FunctionValue(definition=function):
            return function
        case ClassValue(definition=cls):
            for owner in mro(world, cls).order:
                method = owner.method("__init__") if isinstance(owner, ClassDef) else None
                if method is not None:
                    return method
    return None


class _Place:
    """The call's surroundings in the consumer."""

    def __init__(self, needed: Needed) -> None:
        self.needed = needed
        self.source = needed.job.source
        self.holders = enclosing(self.source.tree, needed.call)

    def has_variable(self) -> bool:
        """Whether a variable of the parameter's name is bound whenever the call is reached."""
        function = next((h for h in reversed(self.holders) if isinstance(h, _FUNCTIONS)), None)
        if function is None or not self._type_fits(function):
            return False
        if self.needed.name in _parameter_names(function):
            return True
        line = self.needed.call.lineno
        return any(
            isinstance(statement, ast.Assign)
            and statement.end_lineno is not None
            and statement.end_lineno < line
            and any(isinstance(t, ast.Name) and t.id == self.needed.name for t in statement.targets)
            for statement in function.body
        )

    def _type_fits(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        for argument in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]:
            if argument.arg == self.needed.name:
                job = self.needed.job
                return self.needed.admits(annotated(job.view.world, job.module, argument.annotation))
        return True

    def constants(self) -> Iterator[Derived]:
        """Module-level constants that the same class passes by the same keyword to something else."""
        holder = next((h for h in self.holders if isinstance(h, ast.ClassDef)), None)
        if holder is None:
            return
        names = {
            t.id
            for s in self.source.tree.body
            if isinstance(s, ast.Assign)
            for t in s.targets
            if isinstance(t, ast.Name)
        }
        passed = {
            text_of(self.source, node.value)
            for node in nodes_of(holder)
            if isinstance(node, ast.keyword)
            and node.arg == self.needed.name
            and (
                isinstance(node.value, ast.Constant)
                or (isinstance(node.value, ast.Name) and node.value.id in names)
            )
        }
        if len(passed) == 1:
            name = holder.name
            yield Derived(
                passed.pop(), f"what {name} passes by that name elsewhere", ("it is chosen by its name",)
            )


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _parameter_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    arguments = function.args
    return {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
