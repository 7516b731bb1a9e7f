"""Functions bound on to objects whose class nobody states, and the classes that could stand there.

``obj.forward = MethodType(f, obj)`` where ``obj`` is a bare module: inside ``f``, ``self`` may be any class
of the provider that has the replaced method and the attributes that ``f`` uses: its *family*. What the
whole family lost between two versions, ``f`` lost, whichever of its classes comes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.hierarchy import external_members, mro
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Value,
    options,
    union,
)
from driftcheck.infer.world import World

MAX_FILES = 400
"""Files of the provider that are looked at for one family; a family that needs more says nothing."""


def bound_functions(world: World, receiver: Value, value: Value) -> Iterator[FunctionValue]:
    """The consumer's functions that storing ``value`` on ``receiver`` makes methods, with their receiver.

    The receiver is unknown where its class is: a bare ``nn.Module``, a protocol, nothing inferred.
    """
    for function in options(value):
        if not isinstance(function, FunctionValue) or world.is_provider(function.definition.module):
            continue
        if function.receiver is not None:
            if function.definition.owner is None:
                yield from _with_receivers(world, function, function.receiver)
            continue
        for option in options(receiver):
            if not _takes_self(function.definition):
                continue
            if isinstance(option, ClassValue) and world.is_provider(option.definition.module):
                yield replace(function, receiver=Instance(option))
            elif option is UNKNOWN:
                yield replace(function, receiver=UNKNOWN)


def _with_receivers(world: World, function: FunctionValue, receiver: Value) -> Iterator[FunctionValue]:
    known: list[Value] = []
    for option in options(receiver):
        match option:
            case Instance(cls=ClassValue(definition=cls)) if world.is_provider(cls.module):
                known.append(option)
            case Instance(cls=External()):
                yield replace(function, receiver=UNKNOWN)
            case _ if option is UNKNOWN:
                yield replace(function, receiver=UNKNOWN)
    if known:
        yield replace(function, receiver=union(known))


def _takes_self(function: FunctionDef) -> bool:
    parameters = function.parameters
    return bool(parameters) and parameters[0].name == "self"


def receiver_reads(function: FunctionDef) -> dict[str, list[ast.Attribute]]:
    """The attributes that a function reads on its first parameter where no test of its own guards that."""
    try:
        node = function.node
    except SourceFault:
        return {}
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return {}
    reads = _Reads(arguments[0].arg)
    for statement in node.body:
        reads.visit(statement)
    return reads.found


class _Reads(ast.NodeVisitor):
    """Collects ``self.x`` reads outside every branch that asks what ``self`` has."""

    def __init__(self, receiver: str) -> None:
        self.receiver = receiver
        self.found: dict[str, list[ast.Attribute]] = {}
        self.stored: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id == self.receiver:
            if not isinstance(node.ctx, ast.Load):
                self.stored.add(node.attr)
            elif node.attr not in self.stored:
                self.found.setdefault(node.attr, []).append(node)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if not self._asks(node.test):
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        if not self._asks(node.test):
            self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if not self._asks(node):
            self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        if not any(_catches_attribute_error(handler) for handler in node.handlers):
            self.generic_visit(node)

    def _asks(self, test: ast.expr) -> bool:
        """Whether a test looks at what the receiver has or is."""
        for node in nodes_of(test):
            match node:
                case ast.Call(
                    func=ast.Name(id="hasattr" | "getattr" | "isinstance" | "callable"),
                    args=[ast.Name(id=name), *_],
                ):
                    if name == self.receiver:
                        return True
                case ast.Call(func=ast.Name(id="type" | "dir" | "vars"), args=[ast.Name(id=name)]):
                    if name == self.receiver:
                        return True
        return False


def _catches_attribute_error(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in nodes_of(handler.type) if isinstance(n, ast.Name)}
    return bool(names & {"AttributeError", "Exception", "BaseException"})


def family(world: World, method: str, attributes: Iterable[str]) -> list[ClassDef]:
    """The provider's classes that have ``method`` and all of ``attributes``, in the order of the files.

    Attributes that no class with the method has are left out: something else puts them there.
    """
    wanted = tuple(sorted(set(attributes)))
    key = ("family", method, wanted)
    if key not in world.cache:
        world.cache[key] = _family(world, method, wanted)
    return world.cache[key]


def _family(world: World, method: str, attributes: tuple[str, ...]) -> list[ClassDef]:
    index = world.provider
    files = set(index.files_mentioning(f"def {method}("))
    for attribute in attributes:
        files &= set(index.files_mentioning(attribute))
    if len(files) > MAX_FILES:
        return []
    found: list[ClassDef] = []
    for path in sorted(files):
        module = index.module(index.module_name(path))
        if module is None:
            continue
        for binding in module.functions_and_classes:
            if binding.kind != "class":
                continue
            cls = module.class_of(binding)
            if method in cls.members and all(has(world, cls, attribute) for attribute in attributes):
                found.append(cls)
    return found


def has(world: World, cls: ClassDef, name: str) -> bool | None:
    """Whether a class of the tree gives its objects the attribute; None where a base outside may."""
    if _own(cls, name):
        return True
    line = mro(world, cls)
    answer: bool | None = False if line.complete and not _quotes(cls, name) else None
    for owner in line.order:
        if isinstance(owner, External):
            if not _lacks(world, owner, name):
                answer = None
        elif owner is not cls and _own(owner, name):
            return True
        elif owner.is_open or _quotes(owner, name):
            answer = None
    return answer


def _quotes(cls: ClassDef, name: str) -> bool:
    """Whether a class has the name in a string: something may put it on the object by name."""
    return f'"{name}"' in cls.text or f"'{name}'" in cls.text


def _own(cls: ClassDef, name: str) -> bool:
    return name in cls.members or (name in cls.text and cls.assigns(name))


def _lacks(world: World, base: External, name: str) -> bool:
    """Whether a class of another library is known not to have a method of that name."""
    fact = world.facts.bases.get(base.path)
    if fact is not None and fact.members:
        return name not in fact.members
    if base.path.startswith(("typing.", "typing_extensions.", "abc.")):
        return True
    members = external_members(world, base)
    return members is not None and name not in members


@dataclass(frozen=True)
class Loss:
    """What a family did to an attribute between two versions.

    ``lost`` and ``kept``: its classes on the later version; ``example``: the class that the message
    names, on both; ``successor``: the method that came in the attribute's place, if one did.
    """

    lost: tuple[ClassDef, ...]
    kept: tuple[ClassDef, ...]
    example: tuple[ClassDef, ClassDef]
    successor: str | None = None

    @property
    def share(self) -> float:
        return len(self.lost) / (len(self.lost) + len(self.kept))


def loss(before: World, after: World, classes: list[ClassDef], name: str) -> Loss | None:
    """What became of ``name`` in the classes that had it before; None where none of them lost it."""
    lost: list[tuple[ClassDef, ClassDef]] = []
    kept: list[ClassDef] = []
    for cls in classes:
        now = counterpart(after, cls)
        answer = None if now is None else has(after, now, name)
        if now is None or answer is None:
            continue
        if answer:
            kept.append(now)
        else:
            lost.append((cls, now))
    if not lost:
        return None
    example = _best_known(lost)
    return Loss(tuple(now for _, now in lost), tuple(kept), example, successor(before, after, lost, name))


def counterpart(world: World, cls: ClassDef) -> ClassDef | None:
    """The class of the same dotted name on another version."""
    module = world.module(cls.module.name)
    if module is None:
        return None
    bindings = [b for b in module.bindings.get(cls.name, ()) if b.kind == "class"]
    return module.class_of(bindings[-1]) if bindings else None


def _best_known(pairs: list[tuple[ClassDef, ClassDef]]) -> tuple[ClassDef, ClassDef]:
    """The class that the others' files name most: the one that a reader knows."""
    texts = {id(old.module): old.module.source.text for old, _ in pairs}
    names = {old.name: 0 for old, _ in pairs}
    whole = {name: re.compile(rf"{re.escape(name)}\b(?<!\w{re.escape(name)})") for name in names}
    for text in texts.values():
        for name, pattern in whole.items():
            names[name] += name in text and pattern.search(text) is not None
    return min(pairs, key=lambda pair: (-names[pair[0].name], len(pair[0].qualname), pair[0].qualname))


def successor(before: World, after: World, pairs: list[tuple[ClassDef, ClassDef]], name: str) -> str | None:
    """The one method that nearly every class gained as it lost ``name``, and that does the same."""
    votes: dict[str, int] = {}
    asked = 0
    for old, new in pairs:
        method = _method(before, old, name)
        if method is None:
            continue
        asked += 1
        for gained in _gained(before, after, old, new):
            function = _method(after, new, gained)
            if function is not None and _alike(method, function):
                votes[gained] = votes.get(gained, 0) + 1
    likely = [gained for gained, count in votes.items() if count * 5 >= asked * 4]
    return likely[0] if asked and len(likely) == 1 else None


def _gained(before: World, after: World, old: ClassDef, new: ClassDef) -> list[str]:
    had: set[str] = set()
    for owner in mro(before, old).order:
        if isinstance(owner, ClassDef):
            had |= owner.members.keys()
    have: dict[str, None] = {}
    for owner in mro(after, new).order:
        if isinstance(owner, ClassDef):
            have |= dict.fromkeys(owner.members)
    return [name for name in have if name not in had]


def _method(world: World, cls: ClassDef, name: str) -> FunctionDef | None:
    for owner in mro(world, cls).order:
        if isinstance(owner, ClassDef) and name in owner.members:
            return owner.method(name)
    return None


def _alike(old: FunctionDef, new: FunctionDef) -> bool:
    """Whether two methods take the same parameters and do the same."""
    if [p.name for p in old.parameters] != [p.name for p in new.parameters]:
        return False
    try:
        return _body(old) == _body(new)
    except SourceFault:
        return False


def _body(function: FunctionDef) -> str:
    """A method's statements without its documentation, in a form that layout does not change."""
    body = function.node.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(body) > 1:
        body = body[1:]
    return "\n".join(ast.dump(statement) for statement in body)
