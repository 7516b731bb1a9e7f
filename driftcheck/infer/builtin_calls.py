"""Calls of the standard library whose result decides guards, receivers and signatures."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from packaging.version import InvalidVersion, Version

from driftcheck.infer.attributes import lookup
from driftcheck.infer.containers import element_of, merged, with_entry
from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import (

    NONE,
    TRUE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    FunctionValue,
    Instance,
    MethodOf,
    Missing,
    ModuleValue,
    PartialValue,
    SuperValue,
    TupleOf,

    Value,
    options,
    truth,
    union,
)

Handler = Callable[[Frame, ast.Call, Arguments], Value | None]


def special(frame: Frame, node: ast.Call, callee: Value, arguments: Arguments) -> Value | None:
    """The result of a call that has a rule of its own; None for every other."""
    if isinstance(callee, External):
        handler = _HANDLERS.get(callee.path)
        return handler(frame, node, arguments) if handler else None
    if isinstance(callee, MethodOf) and isinstance(callee.receiver, (DictOf, Container)):
        _mutate(frame, node, callee, arguments)
    return None


def _first(arguments: Arguments) -> Value:
    return arguments.positional[0].value if arguments.positional else UNKNOWN


def _nth(arguments: Arguments, number: int, keyword: str = "") -> Value | None:
    if len(arguments.positional) > number:
        return arguments.positional[number].value
    found = arguments.keywords.get(keyword)
    return found.value if found else None


def _text(value: Value | None) -> str | None:
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def has_attribute(frame: Frame, receiver: Value, name: str) -> Value:
    """``hasattr``: decided where every option has the attribute, or none can have it."""
    answers: set[bool | None] = set()
    for option in options(receiver):
        found = lookup(frame.world, option, name)
        if found.status == "found":
            answers.add(True)
        elif found.status == "missing" and not (isinstance(option, Instance) and not option.exact):
            answers.add(False)
        else:
            answers.add(None)
    answer = answers.pop() if len(answers) == 1 else None
    return UNKNOWN if answer is None else Const(answer)


def _hasattr(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _text(_nth(arguments, 1))
    return has_attribute(frame, _first(arguments), name) if name is not None else UNKNOWN


def _getattr(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _text(_nth(arguments, 1))
    if name is None:
        return UNKNOWN
    receiver = _first(arguments)
    default = _nth(arguments, 2)
    if default is None:
        from driftcheck.infer.expressions import read_attribute

        base = path_of(node.args[0])
        return read_attribute(frame, node, receiver, name, f"{base}.{name}" if base else None)
    values: list[Value] = []
    for option in options(receiver):
        found = lookup(frame.world, option, name)
        if found.status == "found":
            values.append(found.value)
        elif found.status == "missing" and not (isinstance(option, Instance) and not option.exact):
            values.append(default)
        else:
            return UNKNOWN
    return union(values)


def _isinstance(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from driftcheck.infer.narrowing import instance_of

    wanted = _nth(arguments, 1)
    if wanted is None:
        return UNKNOWN
    answers = {instance_of(frame.world, option, wanted) for option in options(_first(arguments))}
    answer = answers.pop() if len(answers) == 1 else None
    return UNKNOWN if answer is None else Const(answer)


def _super(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    scope = frame.scope
    while scope is not None and (scope.function is None or scope.function.owner is None):
        if scope.parent is None:
            break
        scope = scope.parent
    function = scope.function if scope is not None else None
    if function is None or function.owner is None or not function.parameters:
        return UNKNOWN
    receiver = scope.env.get(function.parameters[0].name, UNKNOWN)
    after = function.owner
    if arguments.positional:
        given = arguments.positional[0].value
        if not isinstance(given, ClassValue):
            return UNKNOWN
        after = given.definition
    if not isinstance(receiver, (Instance, ClassValue)):
        receiver = Instance(ClassValue(after))
    return SuperValue(after, receiver)


def _setattr(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _text(_nth(arguments, 1))
    if name is not None and frame.hears is not None and len(arguments.positional) == 3:
        frame.hears.stored(frame, node, _first(arguments), name, arguments.positional[2].value)
    return NONE


def _partial(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return UNKNOWN
    return PartialValue(
        _first(arguments),
        tuple(a.value for a in arguments.positional[1:]),
        tuple((k, a.value) for k, a in arguments.keywords.items()),
        arguments.open_keywords or arguments.open_positional,
    )


def _method_type(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    function, receiver = _first(arguments), _nth(arguments, 1)
    if isinstance(function, FunctionValue) and receiver is not None:
        return replace(function, receiver=receiver)
    return UNKNOWN


def _import_module(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _text(_first(arguments))
    if name is None or name.startswith("."):
        return UNKNOWN
    value = frame.world.imported(name)
    if isinstance(value, Missing):
        if frame.catches("ImportError", "ModuleNotFoundError"):
            frame.raise_("ModuleNotFoundError")
        return UNKNOWN
    return value


def _find_spec(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _text(_first(arguments))
    if name is None:
        return UNKNOWN
    value = frame.world.imported(name)
    if isinstance(value, Missing):
        return NONE
    return Instance(External("importlib.machinery.ModuleSpec")) if isinstance(value, ModuleValue) else UNKNOWN


def _version_of(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    tree = frame.world.provider.tree
    name = _text(_first(arguments))
    if name is None or tree.name is None or tree.version is None:
        return UNKNOWN
    same = name.lower().replace("_", "-") == tree.name.lower().replace("_", "-")
    return Const(tree.version) if same else UNKNOWN


def _version(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    text = _text(_first(arguments))
    if text is None:
        value = _first(arguments)
        return value if isinstance(value, Const) and isinstance(value.value, Version) else UNKNOWN
    try:
        return Const(Version(text))
    except InvalidVersion:
        return UNKNOWN


def _specifier_set(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    text = _text(_first(arguments))
    try:
        return Const(SpecifierSet(text)) if text is not None else UNKNOWN
    except InvalidSpecifier:
        return UNKNOWN


def _signature(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from driftcheck.infer.callables import signature_of

    found = signature_of(frame.world, _first(arguments))
    if found is None:
        return UNKNOWN
    names = tuple(Const(p.name) for p in found.parameters)
    return Instance(External("inspect.Signature"), True, names)


def _fields(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    names = field_names(frame, _first(arguments))
    if names is None:
        return UNKNOWN
    members = tuple(Instance(External("dataclasses.Field"), True, (Const(name),)) for name in names)
    return Container("tuple", union(list(members)[:1]) if members else UNKNOWN, members)


def field_names(frame: Frame, value: Value) -> list[str] | None:
    """The names of a class's fields (also of an object's class); None where it has none known."""
    from driftcheck.infer.constructors import field_style, fields_of

    if isinstance(value, Instance):
        value = value.cls
    if not isinstance(value, ClassValue) or field_style(frame.world, value.definition) is None:
        return None
    return [f.name for f in fields_of(frame.world, value.definition) if not (f.class_var or f.init_var)]


def _dict(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    result = DictOf((), True)
    if arguments.positional:
        result = merged(result, _first(arguments))
    path = frame.scope.module.path
    for name, argument in arguments.keywords.items():
        result = with_entry(result, name, argument.value, path, argument.node)
    return replace(result, closed=result.closed and not arguments.open_keywords)


def _sequence(kind: str) -> Handler:
    def build(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return Container(kind, UNKNOWN, ())
        source = _first(arguments)
        elements = getattr(source, "elements", None)
        if isinstance(source, DictOf) and source.closed:
            elements = tuple(Const(name) for name, _ in source.entries)
        if kind == "tuple" and elements is not None:
            return TupleOf(tuple(elements))
        return Container(kind, element_of(frame.world, source), elements if kind != "generator" else None)

    return build


def _enumerate(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    number = Instance(External("builtins.int"))
    return Container("iterator", TupleOf((number, element_of(frame.world, _first(arguments)))))


def _zip(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    if arguments.open_positional:
        return Container("iterator", UNKNOWN)
    return Container("iterator", TupleOf(tuple(element_of(frame.world, a.value) for a in arguments.positional)))


def _same_elements(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    return Container("iterator", element_of(frame.world, _first(arguments)))


def _next(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    element = element_of(frame.world, _first(arguments))
    default = _nth(arguments, 1)
    return union([element, default]) if default is not None else element


def _quantified(decisive: bool) -> Handler:
    def decide(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        elements = getattr(_first(arguments), "elements", None)
        if elements is None:
            return UNKNOWN
        answers = [truth(e) for e in elements]
        if decisive in answers:
            return Const(decisive)
        return UNKNOWN if None in answers else Const(not decisive)

    return decide


def _converted(convert: Callable[[Any], Any], path: str) -> Handler:
    def build(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        value = _first(arguments)
        if isinstance(value, Const) and isinstance(value.value, (str, int, float, bool, Version)):
            try:
                return Const(convert(value.value))
            except Exception:
                return UNKNOWN
        return Instance(External(path), True)

    return build


def _bool(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    if frame.hears is not None and node.args:
        frame.hears.used(frame, node.args[0], "truth", value)
    answer = truth(value)
    return UNKNOWN if answer is None else Const(answer)


def _len(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    if frame.hears is not None and node.args:
        frame.hears.used(frame, node.args[0], "len", value)
    elements = getattr(value, "elements", None)
    return Const(len(elements)) if isinstance(value, TupleOf) and elements is not None else Instance(External("builtins.int"))


def _callable(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    return TRUE if isinstance(value, (FunctionValue, ClassValue, PartialValue)) else UNKNOWN


def _issubclass(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    return UNKNOWN


def _type(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = _first(arguments)
    return value.cls if isinstance(value, Instance) and len(arguments.positional) == 1 else UNKNOWN


def _cast(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from driftcheck.infer.annotations import annotated

    if not node.args:
        return UNKNOWN
    said = annotated(frame.world, frame.scope.module, node.args[0])
    return said if said is not UNKNOWN else _nth(arguments, 1)


def _mutate(frame: Frame, node: ast.Call, callee: MethodOf, arguments: Arguments) -> None:
    """Keep a variable's mapping or list up with what a method does to it in place."""
    if not isinstance(node.func, ast.Attribute) or frame.env is None:
        return
    path = path_of(node.func.value)
    if path is None or (path not in frame.env and "." not in path):
        return
    changed = _changed(frame, callee.receiver, callee.name, node, arguments)
    if changed is None:
        return
    frame.env[path] = changed
    if "." in path and isinstance(node.func.value, ast.Attribute) and frame.hears is not None:
        owner = frame.env.get(path.rpartition(".")[0])
        if owner is not None:
            frame.hears.stored(frame, node.func.value, owner, node.func.value.attr, changed)


def _changed(frame: Frame, receiver: Value, name: str, node: ast.Call, arguments: Arguments) -> Value | None:
    path = frame.scope.module.path
    if isinstance(receiver, DictOf):
        if name == "update":
            result = merged(receiver, _first(arguments)) if arguments.positional else receiver
            for key, argument in arguments.keywords.items():
                result = with_entry(result, key, argument.value, path, argument.node)
            return replace(result, closed=result.closed and not arguments.open_keywords)
        if name == "setdefault":
            key = _text(_first(arguments))
            if key is not None and receiver.get(key) is None:
                return with_entry(receiver, key, _nth(arguments, 1) or NONE, path, arguments.positional[0].node)
            return None if key is not None else replace(receiver, closed=False)
        if name == "pop":
            from driftcheck.infer.containers import without_entry

            key = _text(_first(arguments))
            return without_entry(receiver, key) if key is not None else replace(receiver, closed=False)
        return DictOf((), True) if name == "clear" else None
    if isinstance(receiver, Container) and arguments.positional:
        added = _first(arguments)
        if name == "insert":
            added = _nth(arguments, 1) or UNKNOWN
        if name in ("append", "add", "insert", "appendleft"):
            known = receiver.elements
            elements = (*known, added) if known is not None and name == "append" and not frame.loop_depth and len(known) < 64 else None
            return Container(receiver.kind, added if known == () else union([receiver.element, added]), elements)
        if name in ("extend", "update"):
            element = element_of(frame.world, added)
            return Container(receiver.kind, element if receiver.elements == () else union([receiver.element, element]))
    return None


_INT = "builtins.int"
_HANDLERS: dict[str, Handler] = {
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _issubclass,
    "builtins.super": _super,
    "builtins.setattr": _setattr,
    "builtins.dict": _dict,
    "builtins.list": _sequence("list"),
    "builtins.tuple": _sequence("tuple"),
    "builtins.set": _sequence("set"),
    "builtins.frozenset": _sequence("frozenset"),
    "builtins.sorted": _sequence("list"),
    "builtins.reversed": _same_elements,
    "builtins.iter": _same_elements,
    "itertools.islice": _same_elements,
    "itertools.cycle": _same_elements,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.next": _next,
    "builtins.any": _quantified(True),
    "builtins.all": _quantified(False),
    "builtins.int": _converted(int, _INT),
    "builtins.str": _converted(str, "builtins.str"),
    "builtins.float": _converted(float, "builtins.float"),
    "builtins.bool": _bool,
    "builtins.len": _len,
    "builtins.type": _type,
    "builtins.callable": _callable,
    "builtins.__import__": _import_module,
    "functools.partial": _partial,
    "types.MethodType": _method_type,
    "importlib.import_module": _import_module,
    "importlib.util.find_spec": _find_spec,
    "importlib.metadata.version": _version_of,
    "importlib_metadata.version": _version_of,
    "packaging.version.Version": _version,
    "packaging.version.parse": _version,
    "packaging.specifiers.SpecifierSet": _specifier_set,
    "pkg_resources.parse_version": _version,
    "inspect.signature": _signature,
    "dataclasses.fields": _fields,
    "typing.cast": _cast,
    "typing_extensions.cast": _cast,
}
