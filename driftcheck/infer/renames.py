"""What a name that is defined nowhere any more is likely to be called now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.module import Binding, Module
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.likeness import Definition, body_likeness, name_likeness
from driftcheck.infer.values import ClassValue
from driftcheck.infer.world import World

CLEAR = 0.15
"""By how much the best candidate must lead the next."""
ENOUGH = 0.55
"""The score from which a candidate is named at all."""
SURE = 0.85
"""The body likeness from which checking goes on with the candidate."""


@dataclass(frozen=True)
class Rename:
    """The likely new definition, why, and whether checking may go on with it."""

    definition: Definition
    reason: str
    sure: bool


def renamed(world: World, old: Definition, module: str) -> Rename | None:
    """The definition that took the place of ``old``, taken from ``module``; None where none stands out.

    Asked of the module itself, of the one that defined the name, and of the files that have a
    distinctive line of its body.
    """
    before = world.known_good
    if before is None:
        return None
    homes = [m for m in (world.module(old.module.name), world.module(module)) if m is not None]
    homes += [m for m in _with_lines_of(world, old) if m not in homes]
    candidates: list[Definition] = []
    for home in dict.fromkeys(homes):
        earlier = before.module(home.name)
        known = earlier.bindings.keys() if earlier is not None else frozenset[str]()
        candidates += [
            Definition.of(home, group[-1])
            for name, group in home.bindings.items()
            if name not in known and group[-1].kind == old.kind
        ]
    earlier_home = before.module(old.module.name) or old.module
    return _best(
        old, candidates, _siblings(earlier_home.bindings), {m.name: _siblings(m.bindings) for m in homes}
    )


def renamed_member(world: World, cls: ClassDef, name: str) -> Rename | None:
    """The member that took the place of one that the class had on known-good; None if none stands out."""
    before = world.known_good
    old = _before(before, cls) if before is not None else None
    if before is None or old is None:
        return None
    pairs = [(_before(before, c), c) for c in mro(world, cls).order if isinstance(c, ClassDef)]
    found = [_member(was, now, name) for was, now in pairs if was is not None and name in was.members]
    return found[0] if found else None


def _before(before: World, cls: ClassDef) -> ClassDef | None:
    """The class of the same dotted name on known-good."""
    module = before.module(cls.module.name)
    value = before.member(module, cls.name) if module is not None and cls.owner is None else None
    return value.definition if isinstance(value, ClassValue) else None


def _member(old: ClassDef, new: ClassDef, name: str) -> Rename | None:
    bindings = old.members[name]
    gone = Definition.of(old.module, bindings[-1])
    candidates = [
        Definition.of(new.module, group[-1])
        for other, group in new.members.items()
        if other not in old.members and group[-1].kind == gone.kind
    ]
    return _best(gone, candidates, _siblings(old.members), {new.module.name: _siblings(new.members)})


def _with_lines_of(world: World, old: Definition) -> Iterable[Module]:
    """Modules of the target with one of the longest lines of the old body in them."""
    item = old.binding.item
    lines = {line.strip() for line in old.module.source.text[item.start : item.end].splitlines()[1:]}
    telling = sorted(
        (line for line in lines if len(line) > 30 and old.name not in line), key=len, reverse=True
    )
    for line in telling[:3]:
        paths = world.provider.files_mentioning(line)
        if len(paths) <= 3:
            for path in paths:
                module = world.provider.module(world.provider.module_name(path))
                if module is not None:
                    yield module


def _siblings(bindings: dict[str, list[Binding]]) -> list[str]:
    """Definitions in the order of their statements."""
    found = [
        (group[-1].item.start, name)
        for name, group in bindings.items()
        if group[-1].kind in ("def", "class", "value")
    ]
    return [name for _, name in sorted(found)]


def _best(
    old: Definition, candidates: Sequence[Definition], before: list[str], after: dict[str, list[str]]
) -> Rename | None:
    scored: list[tuple[float, str, bool, Definition]] = []
    for candidate in candidates:
        score, reason, sure = _score(old, candidate, before, after.get(candidate.module.name, []))
        if score >= ENOUGH:
            scored.append((score, reason, sure, candidate))
    scored.sort(key=lambda entry: (-entry[0], entry[3].place))
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < CLEAR):
        return None
    _, reason, sure, definition = scored[0]
    return Rename(definition, reason, sure)


def _score(old: Definition, new: Definition, before: list[str], after: list[str]) -> tuple[float, str, bool]:
    """How likely ``new`` is what ``old`` was (0 to 1), why, and whether the body alone shows it."""
    names = name_likeness(old.name, new.name)
    if old.kind == "value":
        if len(old.text) > 8 and old.text == new.text:
            return 0.9, "the same value", False
        return 0.0, "", False
    body = body_likeness(old, new)
    if body is not None and body >= SURE:
        return body + 0.1 * names, "the same body", True
    place = _same_place(old.name, new.name, before, after)
    same = old.parameters is not None and old.parameters == new.parameters and len(old.parameters) > 1
    if body is None:
        # Too little to compare: the name and the place must both speak for it.
        score = 0.6 * names + 0.2 * place + 0.2 * same
        if names < 0.6 or not (place or same):
            return 0.0, "", False
        return (
            score,
            "a like name in the same place" if place else "a like name and the same parameters",
            False,
        )
    if body < 0.4 or (names < 0.5 and body < 0.6):
        return 0.0, "", False
    return (
        0.6 * body + 0.25 * names + 0.1 * place + 0.05 * same,
        "a like body" + (" and name" if names >= 0.5 else ""),
        False,
    )


def _same_place(old: str, new: str, before: list[str], after: list[str]) -> bool:
    """Whether the definition stands between the same neighbours as before."""
    if old not in before or new not in after:
        return False
    i, j = before.index(old), after.index(new)
    return (
        before[max(i - 1, 0) : i] == after[max(j - 1, 0) : j] or before[i + 1 : i + 2] == after[j + 1 : j + 2]
    )
