"""Functions bound on to objects whose class nobody states, and the classes that could stand there.

``obj.forward = MethodType(f, obj)`` where ``obj`` is a bare module: inside ``f``, ``self`` may be any class
of the provider that has the replaced method and the attributes that ``f`` uses: its *family*. What the
whole family lost between two versions, ``f`` lost, whichever of its classes comes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.frame import path_of
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
        files = {path for path in files if index.mentions(path, attribute)}
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
            if (
                method in cls.text
                and all(has(world, cls, attribute) for attribute in attributes)
                and method in cls.members
            ):
                found.append(cls)
    return found


def has(world: World, cls: ClassDef, name: str) -> bool | None:
    """Whether a class of the tree gives its objects the attribute; None where a base outside may."""
    if gives(cls, name):
        return True
    base = _foreign_base(world, cls)
    if base is not None:
        return False if foreign_lacks(world, base, name) and not (cls.is_open or _quotes(cls, name)) else None
    line = mro(world, cls)
    answer: bool | None = False if line.complete and not _quotes(cls, name) else None
    for owner in line.order:
        if isinstance(owner, External):
            if not foreign_lacks(world, owner, name):
                answer = None
        elif owner is not cls and gives(owner, name):
            return True
        elif owner.is_open or _quotes(owner, name):
            answer = None
    return answer


def _foreign_base(world: World, cls: ClassDef) -> External | None:
    """The base of a class that has just one, through a module of another library, as most of a family have."""
    key = ("foreign-base", cls)
    if key not in world.cache:
        world.cache[key] = _only_foreign(world, cls)
    return world.cache[key]


def _only_foreign(world: World, cls: ClassDef) -> External | None:
    try:
        bases = cls.bases
    except SourceFault:
        return None
    if cls.owner is not None or len(bases) != 1 or not isinstance(bases[0], ast.Attribute):
        return None
    root, _, rest = (path_of(bases[0]) or "").partition(".")
    module = world.member(cls.module, root) if root else None
    return External(f"{module.path}.{rest}") if isinstance(module, External) else None


def _quotes(cls: ClassDef, name: str) -> bool:
    """Whether a class has the name in a string: something may put it on the object by name."""
    return f'"{name}"' in cls.text or f"'{name}'" in cls.text


def gives(cls: ClassDef, name: str) -> bool:
    """Whether a class itself, its bases aside, gives its objects the attribute."""
    return name in cls.text and (name in cls.members or cls.assigns(name))


def foreign_lacks(world: World, base: External, name: str) -> bool:
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


HALF = 0.5
"""The share of a family that must have lost an attribute for the loss to be its."""


def losses(before: World, after: World, method: str, attributes: Iterable[str]) -> dict[str, Loss]:
    """What most of the classes that had a method and all of the attributes lost of these."""
    names = tuple(attributes)
    key = ("losses", method, names)
    if key not in after.cache:
        classes = family(before, method, names)
        found = {name: loss(before, after, classes, name) for name in names}
        after.cache[key] = {name: gone for name, gone in found.items() if gone and gone.share >= HALF}
    return after.cache[key]


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
    for text in texts.values():
        for name in names:
            names[name] += _has_word(text, name)
    return min(pairs, key=lambda pair: (-names[pair[0].name], len(pair[0].qualname), pair[0].qualname))


def _has_word(text: str, word: str) -> bool:
    """Whether a text has a word as a whole one; a pattern would be several times slower."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        around = text[max(at - 1, 0) : at] + text[end : end + 1]
        if not any(one.isalnum() or one == "_" for one in around):
            return True
        at = text.find(word, end)
    return False


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
