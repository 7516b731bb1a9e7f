"""How the classes below a protocol call the parts that they hold, where a replacement would not take it.

Only calls whose every argument but some keywords fits the replacement are followed: found in the text first,
then parsed, and what is called is inferred.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.index.subclassing import Place, class_at, classes_in, text_at
from driftcheck.infer.attributes import lookup
from driftcheck.infer.callables import signature_of
from driftcheck.infer.callsites import Site, arguments_of
from driftcheck.infer.frame import path_of
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.implementers import implementers
from driftcheck.infer.reaching import expects_type_error
from driftcheck.infer.signatures import Arguments, Signature, bind
from driftcheck.infer.values import (
    NONE,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Value,
    options,
    union,
)
from driftcheck.infer.world import World

_CALL = re.compile(r"self((?:\.\w+)+)\(")
_MARK = re.compile(r"[()\[\]{},]")
_KEYWORD = re.compile(r"(?:\s|#[^\n]*\n)*(\w+)\s*=(?!=)")


@dataclass(frozen=True)
class PartCall:
    """A call by a class below the protocol of a part that has the method; ``keywords``: those not taken."""

    site: Site
    part: ClassDef
    method: FunctionDef
    keywords: tuple[str, ...]


def part_calls(
    world: World, protocol: ClassDef, method: str, ours: Signature, keywords: Iterable[str] | None = None
) -> list[PartCall]:
    """The calls of ``method`` on their parts that the classes below ``protocol`` make and ``ours`` refuses.

    ``keywords``: only calls that give one of these are looked for.
    """
    if ours.open_keywords:
        return []
    if keywords is None:
        places = implementers(world, protocol)
    else:
        files = {path for name in keywords for path in world.provider.files_mentioning(f"{name}=")}
        places = classes_in(world.provider, sorted(files))
    return [found for place in places for found in _of_class(world, place, protocol, method, ours)]


def _of_class(
    world: World, place: Place, protocol: ClassDef, method: str, ours: Signature
) -> Iterator[PartCall]:
    text = text_at(world.provider, place)
    nearly = {
        match[0]: match[1]
        for match in _CALL.finditer(text)
        if _nearly_fits(ours, _written(text, match.end()))
    }
    cls = class_at(world.provider, place) if nearly else None
    if cls is None or protocol not in mro(world, cls).order:
        return
    held = [start for start, path in nearly.items() if _is_held(world, cls, path)]
    for function in cls.methods():
        if any(start in function.text for start in held):
            yield from _of_method(world, function, method, ours)


def _is_held(world: World, owner: ClassDef, path: str) -> bool:
    """Whether what is called may be a part: no method of the object's own."""
    name, _, rest = path.removeprefix(".").partition(".")
    classes = [one for one in mro(world, owner).order if isinstance(one, ClassDef)]
    if rest:
        return True
    return not any(name in one.members for one in classes) and any(one.assigns(name) for one in classes)


@dataclass
class _Written:
    """The arguments of a call as the text shows them."""

    positional: int
    keywords: set[str]
    open: bool


def _written(text: str, start: int) -> _Written:
    """What stands between a call's parentheses, the first of which is before ``start``."""
    found = _Written(0, set(), False)
    depth, at = 0, start
    for match in _MARK.finditer(text, start):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        if (match[0] == "," and depth == 0) or depth < 0:
            _add(found, text[at : match.start()])
            at = match.end()
        if depth < 0:
            break
    return found


def _add(found: _Written, piece: str) -> None:
    keyword = _KEYWORD.match(piece)
    if keyword is not None:
        found.keywords.add(keyword[1])
    elif piece.lstrip().startswith("*"):
        found.open = True
    elif piece.strip():
        found.positional += 1


def _nearly_fits(ours: Signature, written: _Written) -> bool:
    """Whether a call gives what is needed, and keywords besides that are not taken."""
    slots = [parameter.name for parameter in ours.positional()]
    if written.open or written.keywords <= ours.keywords() or written.positional > len(slots):
        return False
    given = written.keywords.union(slots[: written.positional])
    return all(parameter.name in given for parameter in ours.parameters if parameter.required)


def _of_method(world: World, function: FunctionDef, method: str, ours: Signature) -> Iterator[PartCall]:
    try:
        calls = [node for node in function.nodes if isinstance(node, ast.Call) and _on_self(node)]
    except SourceFault:
        return
    for call in calls:
        arguments = arguments_of(call)
        problems = bind(ours, arguments)
        if not problems or any(problem.kind != "unknown-keyword" for problem in problems):
            continue
        site = Site(function.module, function, call.func, call)
        found = _called(world, _held_there(world, function, call), method, arguments)
        if found is not None and not expects_type_error(site):
            names = tuple(name for problem in problems for name in problem.names)
            yield PartCall(site, *found, names)


def _held_there(world: World, function: FunctionDef, call: ast.Call) -> Value:
    """What the attributes that a call goes through hold, the first of them on the method's own object."""
    assert function.owner is not None
    value: Value = Instance(ClassValue(function.owner))
    for name in (path_of(call.func) or "").split(".")[1:]:
        value = union([lookup(world, option, name).value for option in options(value) if option != NONE])
    return value


def _on_self(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and (path_of(call.func) or "").startswith("self.")


def _called(
    world: World, callee: Value, method: str, arguments: Arguments
) -> tuple[ClassDef, FunctionDef] | None:
    """The part's class and method, where a call runs it and it takes the arguments."""
    for option in options(callee):
        match option:
            case Instance(cls=ClassValue(definition=cls)) if _runs(world, cls, method):
                found = lookup(world, option, method).value
            case FunctionValue(receiver=Instance(cls=ClassValue(definition=cls))):
                found = option
            case _:
                continue
        if isinstance(found, FunctionValue) and found.definition.name == method:
            signature = signature_of(world, found)
            if signature is not None and not bind(signature, arguments):
                return cls, found.definition
    return None


def _runs(world: World, cls: ClassDef, method: str) -> bool:
    """Whether calling an object of a class runs its ``method``, as a base of another library has it."""
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef):
            if "__call__" in owner.members:
                return False
        elif isinstance(owner, External):
            fact = world.facts.bases.get(owner.path)
            if fact is not None and fact.called:
                return fact.called == method
    return False
