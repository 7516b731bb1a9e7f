"""Where a name or module that is gone may be found now."""

from __future__ import annotations

from dataclasses import dataclass, replace

from driftcheck.index.module import Module
from driftcheck.infer.deprecation import announcements, replacement
from driftcheck.infer.likeness import Definition, body_likeness, definition_of, name_likeness
from driftcheck.infer.module_moves import module_home
from driftcheck.infer.renames import renamed
from driftcheck.infer.values import UNKNOWN, ClassValue, FunctionValue, Missing, ModuleValue, Value
from driftcheck.infer.world import World


@dataclass(frozen=True, slots=True)
class Move:
    """The new place: the module to take the name from, what it is called there (empty: the module itself),
    the defining module and line, how a message says it, and whether checking may go on there.

    ``doubt``: what a finding beyond the move takes for granted; empty where nothing is.
    """

    module: Module
    name: str
    line: int
    phrase: str
    sure: bool
    home: Module
    doubt: str = ""


def moved_name(world: World, module: str, name: str) -> Move | None:
    """Where the provider defines ``name`` now, under this or another name; None where nothing stands out."""
    key = ("moved-name", module, name)
    if key not in world.cache:
        world.cache[key] = None
        world.cache[key] = _moved_name(world, module, name)
    return world.cache[key]


def _moved_name(world: World, module: str, name: str) -> Move | None:
    before = world.known_good
    if before is not None and isinstance(before.imported(f"{module}.{name}"), ModuleValue):
        return _moved_submodule(world, f"{module}.{name}")
    old = definition_of(before, module, name) if before is not None else None
    found = _still_there(world, module, name, old) or _same_name(world, module, name, old)
    if found is not None:
        return found
    if old is None:
        return None
    rename = renamed(world, old, module)
    if rename is None:
        return _announced(world, old, module)
    new = rename.definition
    place = _import_place(world, new)
    said = (
        f"it is likely {new.name} now"
        if place.name == module
        else f"it is likely {place.name}.{new.name} now"
    )
    doubt = f"{place.name}.{new.name} is taken to be what {name} was: {rename.reason}"
    return Move(place, new.name, new.line, f"{said} ({rename.reason})", rename.sure, new.module, doubt)


def _announced(world: World, old: Definition, module: str) -> Move | None:
    """What known-good itself said to use instead, where the target defines that."""
    before = world.known_good
    assert before is not None
    value = before.member(old.module, old.name)
    if not isinstance(value, (ClassValue, FunctionValue)):
        return None
    texts = [notice.text for notice in announcements(before, value.definition) if not notice.tests]
    for said in filter(None, map(replacement, texts)):
        place, _, name = said.removesuffix("()").rpartition(".")
        for home in (place, old.module.name, module):
            new = definition_of(world, home, name) if home and world.module(home) is not None else None
            if new is not None:
                phrase = f"{before.version or 'known-good'} announced {said} in its place"
                return Move(_import_place(world, new), name, new.line, phrase, False, new.module, phrase)
    return None


def _moved_submodule(world: World, module: str) -> Move | None:
    """A module that is taken from its package by name, as the name of another package."""
    move = moved_module(world, module, None)
    if move is None:
        return None
    parent, _, last = move.module.name.rpartition(".")
    package = world.module(parent)
    return move if package is None else replace(move, module=package, name=last)


def _still_there(world: World, module: str, name: str, old: Definition | None) -> Move | None:
    """The definition that the name only led to, where that stayed and the way to it is gone."""
    if old is None or (old.module.name, old.name) == (module, name):
        return None
    new = definition_of(world, old.module.name, old.name)
    if new is None or new.kind != old.kind:
        return None
    place = _import_place(world, new)
    phrase = (
        f"it is defined in {place.name} now" if old.name == name else f"it is {place.name}.{old.name} now"
    )
    return Move(place, old.name, new.line, phrase, new.kind != "value", new.module)


def _same_name(world: World, module: str, name: str, old: Definition | None) -> Move | None:
    candidates: list[Definition] = []
    for other in world.provider.modules_defining(name):
        bindings = [b for b in other.bindings.get(name, []) if b.kind in ("def", "class", "value")]
        if bindings and other.name != module:
            candidates.append(Definition.of(other, bindings[-1]))
    if old is not None and old.kind != "value":
        candidates = [c for c in candidates if c.kind == old.kind] or candidates
    if not candidates:
        return None
    likeness = {c.place: body_likeness(old, c) if old is not None else None for c in candidates}
    candidates.sort(
        key=lambda c: (
            -(likeness[c.place] or 0),
            -_nearness(module, c.module.name),
            len(c.module.name),
            c.place,
        )
    )
    best = candidates[0]
    like = likeness[best.place]
    alone = len(candidates) == 1 or (like is not None and like - (likeness[candidates[1].place] or 0) > 0.2)
    same_kind = old is None or old.kind == best.kind
    if not same_kind or (like is not None and like < 0.25 and not _is_telling(world, name)):
        # A namesake, as far as can be told: worth a word, not worth going on with.
        if not _is_telling(world, name):
            return None
        alone = False
    place = _import_place(world, best)
    phrase = f"it is defined in {place.name} now"
    if not alone and len(candidates) > 1:
        phrase = f"{place.name} defines one"
    sure = alone and best.kind != "value" and (like is not None or _is_telling(world, name))
    doubt = (
        "" if like is not None and like >= 0.5 else f"{place.name}.{name} is taken to be the one that moved"
    )
    return Move(place, name, best.line, phrase, sure, best.module, doubt)


def _is_telling(world: World, name: str) -> bool:
    """Whether a name is unlikely to be given twice by chance: long, and defined in one place on each version."""
    if len(name) < 8:
        return False
    versions = [world.provider] + ([world.known_good.provider] if world.known_good is not None else [])
    return all(sum(name in m.bindings for m in index.modules_defining(name)) <= 1 for index in versions)


def _nearness(old: str, new: str) -> int:
    """How many leading parts two dotted names share."""
    count = 0
    for a, b in zip(old.split("."), new.split("."), strict=False):
        if a != b:
            break
        count += 1
    return count


def _import_place(world: World, found: Definition) -> Module:
    """The module to import a definition from: its own, or of a private one the package that offers it."""
    module = found.module
    parts = module.name.split(".")
    private = [
        number for number, part in enumerate(parts) if part.startswith("_") and not part.startswith("__")
    ]
    if private and private[0] > 0:
        package = world.module(".".join(parts[: private[0]]))
        if package is not None:
            offered = definition_of(world, package.name, found.name)
            if offered is not None and offered.place == found.place:
                return package
    return module


def moved_module(world: World, module: str, name: str | None) -> Move | None:
    """Where a module that is gone went, asked for the sake of ``name`` or (None) of the module itself."""
    home = module_home(world, module)
    if home is None or (name is not None and isinstance(world.member(home.module, name), Missing)):
        return moved_name(world, module, name) if name is not None else None
    sure = home.sure
    doubt = "" if sure else f"{home.module.name} is taken to be what {module} was"
    phrase = f"it is {home.module.name} now"
    if name is None:
        return Move(home.module, "", 1, phrase, sure, home.module, doubt)
    there = definition_of(world, home.module.name, name)
    if not sure:
        # What the module as a whole leaves open, the name itself may show.
        alone = moved_name(world, module, name)
        if alone is not None and alone.sure and there is not None and alone.home is there.module:
            sure, doubt = True, alone.doubt
    line, defining = (there.line, there.module) if there is not None else (1, home.module)
    return Move(home.module, name, line, phrase, sure, defining, doubt)


def moved_value(world: World, module: str, name: str | None) -> Value:
    """The definition at the new place, so that what is done with it is still checked; unknown unless sure."""
    there = world.imported(module)
    move = (
        moved_module(world, module, name)
        if isinstance(there, Missing) or name is None
        else moved_name(world, module, name)
    )
    if move is None or not move.sure:
        return UNKNOWN
    if not move.name:
        return ModuleValue(move.module.name)
    value = world.member(move.module, move.name)
    if isinstance(value, Missing):
        return UNKNOWN
    new = definition_of(world, move.module.name, move.name)
    if new is not None:
        old = definition_of(world.known_good, module, name or "") if world.known_good is not None else None
        symbol = f"{old.module.name}.{old.name}" if old is not None else f"{module}.{name}"
        moved_symbols(world).setdefault(f"{new.module.name}.{new.name}", (symbol, move.doubt))
    return value


def moved_symbols(world: World) -> dict[str, tuple[str, str]]:
    """The definitions that stand in for ones that moved: by qualified name, the old one and the doubt."""
    return world.cache.setdefault("moved-symbols", {})


def nearest_name(name: str, offered: list[str]) -> str | None:
    """The one name that looks like a misspelling or small change of ``name``; None without one."""
    close = sorted(
        ((name_likeness(name, other), other) for other in offered if not other.startswith("__")), reverse=True
    )
    if close and close[0][0] >= 0.8 and (len(close) == 1 or close[0][0] - close[1][0] >= 0.1):
        return close[0][1]
    return None
