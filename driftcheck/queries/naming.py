"""From a dotted name to what it is on one version: through re-exports, classes and their bases."""

from __future__ import annotations

import dataclasses
import difflib
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.tree_index import Index
from driftcheck.infer.constructors import Field, fields_of
from driftcheck.infer.facts import Facts
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.values import ClassValue, FunctionValue, Missing, ModuleValue, Value, options
from driftcheck.infer.world import World
from driftcheck.sources.tree import MemoryFiles, Tree


@dataclass
class Target:
    """What a name means. ``kind``: module, class, function, method, property, field, attribute, value.

    ``owner`` is the class asked about, ``definer`` the one in its order that defines the member; ``via``
    are the places a re-export led through.
    """

    name: str
    kind: str
    symbol: str
    module: Module | None = None
    line: int = 1
    value: Value | None = None
    owner: ClassDef | None = None
    definer: ClassDef | None = None
    function: FunctionDef | None = None
    field: Field | None = None
    via: list[str] = dataclasses.field(default_factory=list)


@dataclass
class NotThere:
    """A name that is not there: the part that is missing, close names, and where else it is defined."""

    missing: str
    near: list[str]
    elsewhere: list[str]


def world_of(provider: Tree, facts: Facts) -> World:
    """A world with the provider alone."""
    nobody = Tree("nothing", MemoryFiles({}), ())
    return World(Index(nobody), Index(provider), facts)


def find(world: World, dotted: str) -> Target | NotThere:
    """What a dotted name (``pkg.mod.Class.member``, also with a colon) means."""
    parts = [part for part in dotted.replace(":", ".").split(".") if part]
    index = world.provider
    count = len(parts)
    while count and index.locate(".".join(parts[:count])) is None:
        count -= 1
    if not count:
        near = difflib.get_close_matches(parts[0] if parts else "", index.packages, 3)
        return NotThere(parts[0] if parts else dotted, near, _elsewhere(world, parts[-1] if parts else ""))
    name = ".".join(parts[:count])
    module = world.module(name)
    rest = parts[count:]
    if not rest or module is None:
        if rest:
            return NotThere(".".join(parts), [], _elsewhere(world, parts[-1]))
        return Target(dotted, "module", name, module)
    value = world.member(module, rest[0])
    if isinstance(value, Missing):
        return _absent(world, f"{name}.{rest[0]}", rest[0], _names_in(module), parts[-1], rest[1:])
    target = _of_value(world, dotted, module, rest[0], value)
    for number, part in enumerate(rest[1:], 1):
        cls = (
            next((o.definition for o in options(target.value) if isinstance(o, ClassValue)), None)
            if target.value
            else None
        )
        if cls is None:
            if isinstance(target.value, ModuleValue):
                return find(world, ".".join([target.value.name, *rest[number:]]))
            return NotThere(".".join([name, *rest[: number + 1]]), [], _elsewhere(world, part))
        member = _member(world, dotted, cls, part)
        if member is None:
            return _absent(
                world, f"{cls.qualname}.{part}", part, member_names(world, cls), part, rest[number + 1 :]
            )
        member.via = target.via
        target = member
    return target


def member_names(world: World, cls: ClassDef) -> set[str]:
    """Every name that objects of a class are known to have."""
    found: set[str] = set()
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef):
            found |= set(owner.members) | owner.simply_assigned
    return found


def _names_in(module: Module) -> set[str]:
    return set(module.bindings)


def _of_value(world: World, dotted: str, module: Module, name: str, value: Value) -> Target:
    via: list[str] = []
    home, last, line = _home(world, module, name, via)
    for option in options(value):
        if isinstance(option, ClassValue):
            cls = option.definition
            return Target(
                dotted,
                "class",
                cls.qualname,
                cls.module,
                cls.line,
                value,
                owner=cls,
                via=_without(via, cls.module),
            )
        if isinstance(option, FunctionValue):
            function = option.definition
            return Target(
                dotted,
                "function",
                function.qualname,
                function.module,
                function.line,
                value,
                function=function,
                via=_without(via, function.module),
            )
        if isinstance(option, ModuleValue):
            return Target(dotted, "module", option.name, world.module(option.name), 1, value, via=via)
    return Target(dotted, "value", f"{home.name}.{last}", home, line, value, via=_without(via, home))


def _without(via: list[str], home: Module) -> list[str]:
    return [place for place in via if not place.startswith(f"{home.path}:")]


def _home(world: World, module: Module, name: str, via: list[str]) -> tuple[Module, str, int]:
    """The module whose statement defines a name, through ``from`` imports; notes each one passed."""
    line = 1
    for _ in range(20):
        bindings = world.alive(module, module.bindings.get(name, []), True)
        if not bindings:
            star = next(
                (s for s, _ in module.stars if s and (m := world.module(s)) and name in m.bindings), None
            )
            lazy = bool(module.bindings.get("__getattr__"))
            via.append(f"{module.path}:1" + (" (lazily, by __getattr__)" if lazy and star is None else ""))
            other = world.module(star) if star else None
            if other is None:
                break
            module = other
            continue
        last = bindings[-1]
        line = module.source.line_at(last.item.start)
        if last.kind != "from" or last.module is None:
            break
        via.append(f"{module.path}:{line}")
        other = world.module(last.module)
        if other is None:
            break
        module, name = other, last.attribute or name
    return module, name, line


def _member(world: World, dotted: str, cls: ClassDef, name: str) -> Target | None:
    field_ = next((one for one in fields_of(world, cls) if one.name == name), None)
    if field_ is not None and not field_.class_var:
        definer = field_.owner
        symbol = f"{definer.qualname}.{name}"
        return Target(dotted, "field", symbol, definer.module, field_.line, None, cls, definer, field=field_)
    for owner in mro(world, cls).order:
        if not isinstance(owner, ClassDef):
            continue
        bindings = world.alive(owner.module, owner.members.get(name, []))
        if bindings:
            last = bindings[-1]
            line = owner.module.source.line_at(last.item.start)
            function = owner.method(name) if last.kind == "def" else None
            if function is not None:
                kind = "property" if _is_property(function) else "method"
                return Target(
                    dotted,
                    kind,
                    function.qualname,
                    owner.module,
                    function.line,
                    FunctionValue(function),
                    cls,
                    owner,
                    function,
                )
            if last.kind == "class":
                inner = owner.module.class_of(last, owner)
                return Target(
                    dotted,
                    "class",
                    inner.qualname,
                    owner.module,
                    line,
                    ClassValue(inner),
                    owner=inner,
                    definer=owner,
                )
            return Target(
                dotted, "attribute", f"{owner.qualname}.{name}", owner.module, line, None, cls, owner
            )
        if owner.assigns(name):
            return Target(
                dotted, "attribute", f"{owner.qualname}.{name}", owner.module, owner.line, None, cls, owner
            )
    return None


def _is_property(function: FunctionDef) -> bool:
    import ast

    return any(
        (isinstance(d, ast.Name) and d.id in ("property", "cached_property"))
        or (isinstance(d, ast.Attribute) and d.attr in ("cached_property", "getter"))
        for d in function.decorators
    )


def _absent(world: World, missing: str, name: str, offered: set[str], last: str, rest: list[str]) -> NotThere:
    near = difflib.get_close_matches(name, sorted(offered), 4, 0.6)
    elsewhere = _elsewhere(world, name)
    return NotThere(missing, near, [".".join([one, *rest]) for one in elsewhere] if rest else elsewhere)


def _elsewhere(world: World, name: str) -> list[str]:
    """Other places of the provider that define a top-level name or member called so."""
    if not name.isidentifier():
        return []
    found: list[str] = []
    members: list[str] = []
    for module in world.provider.modules_defining(name):
        if name in module.bindings:
            found.append(f"{module.name}.{name}")
        else:
            members += [
                f"{module.name}.{b.name}.{name}"
                for b in module.functions_and_classes
                if b.kind == "class" and name in module.class_of(b).members
            ]
    return [*found, *members][:6]
