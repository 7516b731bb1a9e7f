"""``show``: one symbol of a provider, so that nobody has to grep for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from driftcheck import __version__
from driftcheck.engine.options import CheckOptions
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.callables import return_value, signature_of
from driftcheck.infer.facts import load_facts
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.protocols import protocol_of
from driftcheck.infer.settable import not_in_constructor, read_only
from driftcheck.infer.shapes import describe
from driftcheck.infer.subclasses import subclasses
from driftcheck.infer.values import UNKNOWN, ClassValue, FunctionValue, Instance, Value
from driftcheck.infer.world import World
from driftcheck.queries.callers import split_calls, stands_for
from driftcheck.queries.described import expression_text, parameter_text
from driftcheck.queries.naming import NotThere, Target, find, member_names, world_of
from driftcheck.queries.occurrences import Occurrence, occurrences
from driftcheck.queries.structs import HistoryEntry
from driftcheck.rulesdb import rules_roots
from driftcheck.sources import open_tree, releases
from driftcheck.sources.tree import Tree

Progress = Callable[[str], None]
MAX_LISTED = 60
WHOLE = 2_000
"""Characters of a type: it is what was asked for, and is not cut like a value beside others."""


class PlaceText(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the provider: where, what it says, which definition it is in, and under which tests."""

    path: str
    line: int
    text: str
    inside: str = ""
    conditions: tuple[str, ...] = ()
    value: str = ""


class Readers(msgspec.Struct, frozen=True):
    """Who reads a symbol, in one module; ``branches`` counts the reads that decide one."""

    module: str
    reads: int
    branches: int
    places: list[PlaceText]


class Shown(msgspec.Struct, kw_only=True):
    """Everything that is said of one symbol on one version."""

    schema: str = "driftcheck-show/1"
    driftcheck: str
    asked: str
    version: str
    found: bool
    kind: str = ""
    symbol: str = ""
    defined: PlaceText | None = None
    via: list[str] = []
    type: str | None = None
    default: str | None = None
    settable: str | None = None
    unsettable: str | None = None
    bases: list[str] = []
    signature: str | None = None
    returns: str | None = None
    returns_none: list[PlaceText] = []
    overrides: list[str] = []
    overridden_by: list[PlaceText] = []
    protocol: str | None = None
    resolved_by: list[PlaceText] = []
    readers: list[Readers] = []
    callers: list[PlaceText] = []
    more: int = 0
    by_name: int = 0
    """Calls of the symbol's name on objects that are of another class, or of one that nobody states."""
    members: list[str] = []
    missing: str | None = None
    near: list[str] = []
    elsewhere: list[str] = []
    history: list[HistoryEntry] = []


def show(
    symbol: str,
    spec: str,
    first: str | None = None,
    last: str | None = None,
    python: Path | None = None,
    refresh: bool = False,
    options: CheckOptions | None = None,
    progress: Progress = lambda stage: None,
) -> Shown:
    """What a symbol is in one version, and with ``first`` or ``last`` how it read on the releases between.

    Raises SourceError where the version cannot be had.
    """
    tree = open_tree(spec, role="provider", python=python, refresh=refresh, progress=progress)
    facts = load_facts(rules_roots((options or CheckOptions()).rules_paths))
    world = world_of(tree, facts)
    progress(f"looking up {symbol}")
    target = find(world, symbol)
    shown = Shown(
        driftcheck=__version__,
        asked=symbol,
        version=tree.version or tree.spec,
        found=isinstance(target, Target),
    )
    if isinstance(target, NotThere):
        shown.missing, shown.near, shown.elsewhere = target.missing, target.near, target.elsewhere
    else:
        _fill(world, target, shown)
    if first or last:
        shown.history = _history(symbol, tree, first, last, refresh, world, progress)
    return shown


def _fill(world: World, target: Target, shown: Shown) -> None:
    shown.kind, shown.symbol, shown.via = target.kind, target.symbol, target.via
    if target.module is not None:
        shown.defined = _line(target.module, target.line)
    if target.kind == "class" and target.owner is not None:
        _class(world, target.owner, shown)
    elif target.kind in ("field", "attribute", "property") and target.owner is not None:
        _attribute(world, target, target.owner, shown)
    elif target.function is not None:
        _function(world, target, shown)
    elif target.kind == "value" and target.module is not None:
        shown.type = (
            describe(target.value) if target.value is not None and target.value is not UNKNOWN else None
        )
        _plain_readers(world, target, shown)
    elif target.kind == "module" and target.module is not None:
        shown.members = sorted(name for name in target.module.bindings if not name.startswith("_"))


# Classes


def _class(world: World, cls: ClassDef, shown: Shown) -> None:
    order = mro(world, cls).order[1:]
    shown.bases = [one.qualname if isinstance(one, ClassDef) else one.path for one in order]
    signature = signature_of(world, ClassValue(cls))
    if signature is not None:
        shown.signature = f"{cls.name}({', '.join(parameter_text(one) for one in signature.parameters)})"
    shown.members = sorted(name for name in member_names(world, cls) if not name.startswith("_"))
    below = subclasses(world, world.provider, cls)
    shown.overridden_by = [_line(one.module, one.line, one.qualname) for one in below[:MAX_LISTED]]
    sites = occurrences(world.provider, cls.name, False, called=True)
    _callers(split_calls(sites, signature, lambda one: stands_for(world, one, cls)), shown)


# Fields, attributes, properties


def _attribute(world: World, target: Target, cls: ClassDef, shown: Shown) -> None:
    name = target.symbol.rpartition(".")[2]
    definer = target.definer or cls
    if target.field is not None:
        field = target.field
        shown.type = expression_text(field.annotation, WHOLE) if field.annotation is not None else None
        if field.init_var:
            shown.kind = "field (InitVar: taken by the constructor, not kept on the object)"
        shown.default = _default(field.default, field.factory)
        if field.init:
            shown.settable = f"yes, by the constructor as {field.alias or name}=…"
    elif target.function is not None:
        returns = target.function.header.returns
        shown.type = expression_text(returns, WHOLE) if returns is not None else None
    else:
        shown.type, shown.default = _written(definer, name)
    why = not_in_constructor(world, cls, name)
    if why is not None:
        shown.settable = None
        words = {
            "property": "a property",
            "class-variable": "a class variable",
            "not-in-init": "init=False",
            "frozen": "a field of a frozen class",
        }
        shown.unsettable = f"no: {words[why.kind]} ({why.owner.module.path}:{why.line})"
        if why.kind == "property" and not why.read_only:
            shown.unsettable += "; it has a setter"
    elif shown.settable is None:
        signature = signature_of(world, ClassValue(cls))
        if signature is not None:
            taken = name in signature.keywords()
            shown.settable = f"yes, by the constructor as {name}=…" if taken else None
            shown.unsettable = None if taken else "not by the constructor; assigned on the object"
        frozen = read_only(world, cls, name)
        if frozen is not None:
            shown.unsettable = f"no: {frozen.kind}"
    holders, own = _holders(world, cls), _family(world, cls)
    found = occurrences(world.provider, name, may_be=_before_the_dot(holders, own))
    sites = [one for one in found if _is_of(one, holders, own)]
    stores = [one for one in sites if one.role == "store"]
    shown.resolved_by = [_site(one, expression_text(one.value)) for one in stores if one.value is not None][
        :MAX_LISTED
    ]
    _readers([one for one in sites if one.role != "store"], shown)


def _default(node: ast.expr | None, factory: bool) -> str | None:
    if node is None:
        return "made by a factory" if factory else None
    text = expression_text(node)
    return f"{text}()" if factory and not isinstance(node, ast.Lambda) else text


def _written(cls: ClassDef, name: str) -> tuple[str | None, str | None]:
    """Annotation and value of a class-level assignment."""
    for binding in cls.members.get(name, ()):
        try:
            statement = cls.module.source.parse(binding.item)
        except (SourceFault, IndexError):
            continue
        if isinstance(statement, ast.AnnAssign):
            value = None if statement.value is None else expression_text(statement.value)
            return expression_text(statement.annotation, WHOLE), value
        if isinstance(statement, ast.Assign):
            return None, expression_text(statement.value)
    return None, None


def _holders(world: World, cls: ClassDef) -> set[str]:
    """Names that hold an object of the class by how they are annotated or made anywhere in the provider."""
    name = re.escape(cls.name.encode())
    annotated = re.compile(
        rb"\b(\w+)\s*:\s*[\"']?(?:[\w.]+\s*\|\s*)*(?:[\w.]*\.)?(?:Optional\[)?[\"']?" + name + rb"\b"
    )
    made = re.compile(rb"\b(\w+)\s*=\s*(?:[\w.]*\.)?" + name + rb"\(")
    found = {_snake(cls.name)}
    for path in world.provider.files_mentioning(cls.name):
        data = world.provider.peek(path)
        for pattern in (annotated, made):
            found |= {match.decode("utf-8", "replace") for match in pattern.findall(data)}
    return found


def _family(world: World, cls: ClassDef) -> set[str]:
    """The names of a class, of those above and of those below it."""
    above = {one.name for one in mro(world, cls).order if isinstance(one, ClassDef)}
    return above | {one.name for one in subclasses(world, world.provider, cls)}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _is_of(site: Occurrence, holders: set[str], own: set[str]) -> bool:
    """Whether the object before the dot is one of the class, by how it is called."""
    if site.receiver in ("self", "cls") or site.receiver.startswith("super("):
        return site.cls in own
    return (
        site.receiver.rpartition(".")[2] in holders
        or site.receiver.partition("(")[0].rpartition(".")[2] in own
    )


def _before_the_dot(holders: set[str], own: set[str]) -> Callable[[Module, int], bool]:
    """Whether, by the text before a dot, the object there may be one of the class: what is not is not parsed."""
    word = re.compile(r"([\w)]+)\s*\Z")
    classes = re.compile(rf"class\s+(?:{'|'.join(map(re.escape, own))})\b")
    with_class: dict[str, bool] = {}

    def may_be(module: Module, at: int) -> bool:
        found = word.search(module.source.blank, max(at - 120, 0), at)
        name = found[1] if found else ""
        if name in holders or name.endswith(")"):
            return True
        if name not in ("self", "cls"):
            return False
        if module.path not in with_class:
            with_class[module.path] = classes.search(module.source.blank) is not None
        return with_class[module.path]

    return may_be


def _readers(sites: Sequence[Occurrence], shown: Shown) -> None:
    grouped: dict[str, list[Occurrence]] = {}
    for one in sites:
        grouped.setdefault(one.module.name, []).append(one)
    left = MAX_LISTED
    for module in sorted(grouped, key=lambda name: (-len(grouped[name]), name)):
        found = grouped[module]
        places = [_site(one) for one in found[: max(left, 0)]]
        left -= len(places)
        shown.more += len(found) - len(places)
        shown.readers.append(Readers(module, len(found), sum(one.role == "branch" for one in found), places))


def _plain_readers(world: World, target: Target, shown: Shown) -> None:
    name = target.symbol.rpartition(".")[2]
    assert target.module is not None
    shown.default = None
    for binding in target.module.bindings.get(name, ()):
        try:
            statement = target.module.source.parse(binding.item)
        except (SourceFault, IndexError):
            continue
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            shown.default = expression_text(statement.value)
    _readers([one for one in occurrences(world.provider, name, False) if one.role != "store"], shown)


# Functions


def _function(world: World, target: Target, shown: Shown) -> None:
    function = target.function
    assert function is not None
    receiver = Instance(ClassValue(target.owner)) if target.owner is not None else None
    value = FunctionValue(function, receiver)
    signature = signature_of(world, value)
    if signature is not None:
        prefix = "async def " if function.is_async else "def "
        shown.signature = (
            f"{prefix}{function.name}({', '.join(parameter_text(one) for one in signature.parameters)})"
        )
    result = return_value(world, value, None)
    annotation = function.header.returns
    shown.returns = (
        expression_text(annotation, WHOLE)
        if annotation is not None
        else describe(result)
        if result is not UNKNOWN
        else None
    )
    shown.returns_none = list(_returning_none(function))
    name = function.name
    if target.owner is not None:
        shown.overrides = [
            one.qualname
            for one in mro(world, function.owner or target.owner).order[1:]
            if isinstance(one, ClassDef) and name in one.members
        ]
        base = function.owner or target.owner
        shown.overridden_by = [
            _line(one.module, method.line, f"{one.qualname}.{name}")
            for one in subclasses(world, world.provider, base)
            if (method := one.method(name)) is not None
        ][:MAX_LISTED]
        protocol = protocol_of(world, target.owner, function)
        if protocol is not None:
            seconds = ", ".join(f"{one.name}()" for one in protocol.seconds)
            shown.protocol = f"first phase: raises while its state is set and sets it; {seconds} clears it"
    sites = occurrences(world.provider, name, target.owner is not None, called=True)
    if target.owner is None:
        _callers(split_calls(sites, signature, lambda one: stands_for(world, one, function)), shown)
    else:
        holders, own = _holders(world, target.owner), _family(world, target.owner)
        _callers(split_calls(sites, signature, lambda one: _is_of(one, holders, own)), shown)


def _returning_none(function: FunctionDef) -> Iterator[PlaceText]:
    """The returns that give None, with the tests they stand under."""

    def walk(body: list[ast.stmt], tests: tuple[str, ...]) -> Iterator[PlaceText]:
        for statement in body:
            match statement:
                case ast.Return(value=None | ast.Constant(value=None)):
                    yield _line(function.module, statement.lineno, function.qualname, tests)
                case ast.If(test=test, body=inner, orelse=other):
                    text = ast.unparse(test)
                    yield from walk(inner, (*tests, text))
                    yield from walk(other, (*tests, f"not ({text})"))
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    continue
                case _:
                    for field in ("body", "orelse", "finalbody"):
                        yield from walk(getattr(statement, field, []), tests)
                    for handler in getattr(statement, "handlers", []):
                        yield from walk(handler.body, tests)

    try:
        yield from walk(function.node.body, ())
    except SourceFault:
        return


def _callers(found: tuple[list[Occurrence], int], shown: Shown) -> None:
    sites, shown.by_name = found
    shown.callers = [
        _site(one, _cut(ast.unparse(one.call))) for one in sites[:MAX_LISTED] if one.call is not None
    ]
    shown.more += max(len(sites) - MAX_LISTED, 0)


def _cut(text: str, room: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= room else text[: room - 1] + "…"


def _site(site: Occurrence, value: str = "") -> PlaceText:
    text = site.module.source.line(site.line).strip()
    return PlaceText(site.module.path, site.line, text, site.inside, site.conditions, value)


def _line(module, line: int, inside: str = "", conditions: tuple[str, ...] = ()) -> PlaceText:  # type: ignore[no-untyped-def]
    return PlaceText(module.path, line, module.source.line(line).strip(), inside, conditions)


# Releases


def _history(
    symbol: str,
    tree: Tree,
    first: str | None,
    last: str | None,
    refresh: bool,
    world: World,
    progress: Progress,
) -> list[HistoryEntry]:
    from driftcheck.queries.choosing import choose

    if tree.name is None:
        return []
    choice = choose(releases(tree.name, refresh=refresh, progress=progress), first, last)
    found: list[HistoryEntry] = []
    for version in choice.versions:
        progress(f"looking up {symbol} in {tree.name} {version}")
        if version == tree.version:
            other = world
        else:
            other = world_of(
                open_tree(f"{tree.name}=={version}", role="provider", progress=progress), world.facts
            )
        shape = summary(other, symbol)
        if found and found[-1].shape == shape:
            found[-1] = HistoryEntry(found[-1].first, version, shape)
        else:
            found.append(HistoryEntry(version, version, shape))
    return found


def summary(world: World, symbol: str) -> str:
    """A symbol in one line on one version; empty where it is not there."""
    target = find(world, symbol)
    if isinstance(target, NotThere):
        return ""
    where = target.module.name if target.module is not None else ""
    name = target.symbol.rpartition(".")[2]
    if target.field is not None:
        kind = expression_text(target.field.annotation) if target.field.annotation is not None else "?"
        default = _default(target.field.default, target.field.factory)
        text = f"{name}: {kind}" + (f" = {default}" if default is not None else "")
        text += "" if target.field.init else " (init=False)"
        text += " (InitVar)" if target.field.init_var and "InitVar" not in kind else ""
    elif target.kind == "property":
        text = f"property {name}"
    elif target.function is not None or (target.kind == "class" and target.owner is not None):
        owner = None if target.owner is None else ClassValue(target.owner)
        callee: Value | None = owner
        if target.function is not None:
            callee = FunctionValue(target.function, None if owner is None else Instance(owner))
        signature = None if callee is None else signature_of(world, callee)
        inner = "…" if signature is None else ", ".join(parameter_text(one) for one in signature.parameters)
        prefix = "async " if target.function is not None and target.function.is_async else ""
        text = f"{prefix}{name}({inner})"
    else:
        text = f"{target.kind} {name}"
    return f"{text}  [{where}]"
