"""Calls of the standard library whose result decides guards, receivers and signatures."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from packaging.version import Version

from driftcheck.infer.attributes import lookup
from driftcheck.infer.coloured_calls import is_awaitable, is_coroutine_function
from driftcheck.infer.containers import element_of, merged, with_entry
from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.mutation import mutate
from driftcheck.infer.regexes import REGEX_CALLS
from driftcheck.infer.signatures import Argument, Arguments, first, nth, text_of
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
    Union,
    Value,
    options,
    truth,
    union,
)
from driftcheck.infer.version_calls import VERSION_CALLS

Handler = Callable[[Frame, ast.Call, Arguments], Value | None]
MAX_MAPPED = 16
"""How many known elements ``map`` is followed over."""


def special(frame: Frame, node: ast.Call, callee: Value, arguments: Arguments) -> Value | None:
    """The result of a call that has a rule of its own; None for every other."""
    if isinstance(callee, External):
        handler = _HANDLERS.get(callee.path)
        return handler(frame, node, arguments) if handler else None
    if isinstance(callee, Union):  # one function that is imported from where it is found
        handlers = {_HANDLERS.get(getattr(option, "path", "")) for option in callee.options}
        handler = handlers.pop() if len(handlers) == 1 else None
        return handler(frame, node, arguments) if handler else None
    if isinstance(callee, MethodOf) and isinstance(callee.receiver, (DictOf, Container)):
        mutate(frame, node, callee, arguments)
    return None


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
    name = text_of(nth(arguments, 1))
    return has_attribute(frame, first(arguments), name) if name is not None else UNKNOWN


def _getattr(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = text_of(nth(arguments, 1))
    if name is None:
        return UNKNOWN
    receiver = first(arguments)
    default = nth(arguments, 2)
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

    wanted = nth(arguments, 1)
    if wanted is None:
        return UNKNOWN
    _class_check(frame, arguments)
    answers = {instance_of(frame.world, option, wanted) for option in options(first(arguments))}
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
    name = text_of(nth(arguments, 1))
    if name is not None and frame.hears is not None and len(arguments.positional) == 3:
        frame.hears.stored(frame, node, first(arguments), name, arguments.positional[2].value)
    return NONE


def _partial(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    if not arguments.positional:
        return UNKNOWN
    # The arguments that are given already are checked here; what is left out may still come.
    given = Arguments(arguments.positional[1:], dict(arguments.keywords), True, True)
    if frame.hears is not None:
        frame.hears.called(frame, node, first(arguments), given, UNKNOWN)
    return PartialValue(
        first(arguments),
        tuple(a.value for a in arguments.positional[1:]),
        tuple((k, a.value) for k, a in arguments.keywords.items()),
        arguments.open_keywords or arguments.open_positional,
    )


def _method_type(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    function, receiver = first(arguments), nth(arguments, 1)
    if isinstance(function, FunctionValue) and receiver is not None:
        return replace(function, receiver=receiver)
    return UNKNOWN


def _import_module(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _absolute(text_of(first(arguments)), text_of(nth(arguments, 1, "package")))
    if name is None:
        return UNKNOWN
    value = frame.world.imported(name)
    if isinstance(value, Missing):
        if frame.catches("ImportError", "ModuleNotFoundError"):
            frame.raise_("ModuleNotFoundError")
        return UNKNOWN
    return value


def _absolute(name: str | None, package: str | None) -> str | None:
    """The absolute name of a module given with leading dots and a package; None where that is not known."""
    if name is None or not name.startswith("."):
        return name
    if package is None:
        return None
    bare = name.lstrip(".")
    parts = package.split(".")
    keep = len(parts) - (len(name) - len(bare) - 1)
    return ".".join([*parts[:keep], bare]).rstrip(".") if keep > 0 else None


def _find_spec(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    name = _absolute(text_of(first(arguments)), text_of(nth(arguments, 1, "package")))
    if name is None:
        return UNKNOWN
    value = frame.world.imported(name)
    if isinstance(value, Missing):
        return NONE
    return Instance(External("importlib.machinery.ModuleSpec")) if isinstance(value, ModuleValue) else UNKNOWN


def _signature(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from driftcheck.infer.callables import signature_of

    found = signature_of(frame.world, first(arguments))
    if found is None:
        return UNKNOWN
    names = tuple(Const(p.name) for p in found.parameters)
    return Instance(External("inspect.Signature"), True, names)


def _fields(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    names = field_names(frame, first(arguments))
    if names is None:
        return UNKNOWN
    members: tuple[Value, ...] = tuple(
        Instance(External("dataclasses.Field"), True, (Const(name),)) for name in names
    )
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
        result = merged(result, first(arguments))
    path = frame.scope.module.path
    for name, argument in arguments.keywords.items():
        result = with_entry(result, name, argument.value, path, argument.node)
    return replace(result, closed=result.closed and not arguments.open_keywords)


def _sequence(kind: str) -> Handler:
    def build(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        if not arguments.positional:
            return Container(kind, UNKNOWN, ())
        source = first(arguments)
        elements = getattr(source, "elements", None)
        if isinstance(source, DictOf) and source.closed:
            elements = tuple(Const(name) for name, _ in source.entries)
        if kind == "tuple" and elements is not None:
            return TupleOf(tuple(elements))
        return Container(kind, element_of(frame.world, source), elements if kind != "generator" else None)

    return build


def _enumerate(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    number = Instance(External("builtins.int"))
    return Container("iterator", TupleOf((number, element_of(frame.world, first(arguments)))))


def _zip(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    if arguments.open_positional:
        return Container("iterator", UNKNOWN)
    return Container(
        "iterator", TupleOf(tuple(element_of(frame.world, a.value) for a in arguments.positional))
    )


def _same_elements(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    return Container("iterator", element_of(frame.world, first(arguments)))


def _map(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """The results one by one where one iterable's elements are known, for guards that parse versions."""
    from driftcheck.infer.calls import call_value

    elements = getattr(nth(arguments, 1), "elements", None)
    if not elements or len(elements) > MAX_MAPPED or len(arguments.positional) != 2:
        return None
    function = first(arguments)
    results: list[Value] = []
    for element in elements:
        given = Arguments([Argument(element, node)])
        found = special(frame, node, function, given)
        results.append(call_value(frame, function, given, node) if found is None else found)
    return Container("iterator", union(results), tuple(results))


def _next(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    element = element_of(frame.world, first(arguments))
    default = nth(arguments, 1)
    return union([element, default]) if default is not None else element


def _quantified(decisive: bool) -> Handler:
    def decide(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        elements = getattr(first(arguments), "elements", None)
        if elements is None:
            return UNKNOWN
        answers = [truth(e) for e in elements]
        if decisive in answers:
            return Const(decisive)
        return UNKNOWN if None in answers else Const(not decisive)

    return decide


def _converted(convert: Callable[[Any], Any], path: str) -> Handler:
    def build(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        value = first(arguments)
        if isinstance(value, Const) and isinstance(value.value, (str, int, float, bool, Version)):
            try:
                return Const(convert(value.value))
            except Exception:
                return UNKNOWN
        return Instance(External(path), True)

    return build


def _bool(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = first(arguments)
    if frame.hears is not None and node.args:
        frame.hears.used(frame, node.args[0], "truth", value)
    answer = truth(value)
    return UNKNOWN if answer is None else Const(answer)


def _len(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = first(arguments)
    if frame.hears is not None and node.args:
        frame.hears.used(frame, node.args[0], "len", value)
    elements = getattr(value, "elements", None)
    return (
        Const(len(elements))
        if isinstance(value, TupleOf) and elements is not None
        else Instance(External("builtins.int"))
    )


def _callable(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = first(arguments)
    return TRUE if isinstance(value, (FunctionValue, ClassValue, PartialValue)) else UNKNOWN


def _issubclass(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    _class_check(frame, arguments)
    return UNKNOWN


def _class_check(frame: Frame, arguments: Arguments) -> None:
    """Tell of every class that an ``isinstance`` or ``issubclass`` names."""
    if frame.hears is None or len(arguments.positional) < 2:
        return
    wanted = arguments.positional[1]
    assert isinstance(wanted.node, ast.expr)
    nodes = wanted.node.elts if isinstance(wanted.node, ast.Tuple) else [wanted.node]
    values = wanted.value.elements if isinstance(wanted.value, TupleOf) else (wanted.value,)
    if len(nodes) != len(values):
        nodes = [wanted.node] * len(values)
    for number, (one, value) in enumerate(zip(nodes, values, strict=True)):
        frame.hears.used(frame, one, "later-class-check" if number else "class-check", value)


def _is_class(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from driftcheck.infer.narrowing import instance_of

    answers = {
        instance_of(frame.world, option, External("builtins.type")) for option in options(first(arguments))
    }
    answer = answers.pop() if len(answers) == 1 else None
    return UNKNOWN if answer is None else Const(answer)


def _type(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    value = first(arguments)
    return value.cls if isinstance(value, Instance) and len(arguments.positional) == 1 else UNKNOWN


def _cast(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    from driftcheck.infer.annotations import annotated

    if not node.args:
        return UNKNOWN
    said = annotated(frame.world, frame.scope.module, node.args[0])
    return said if said is not UNKNOWN else nth(arguments, 1)


_INT = "builtins.int"


def _environment(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """A variable of the environment: its default where nothing is set, else that or some string."""
    name = text_of(first(arguments))
    default = nth(arguments, 1, "default") or NONE
    if frame.world.unset is None or name is None:
        return union([default, Instance(External("builtins.str"))])
    frame.world.unset.variables.add(name)
    return default


def _environment_copy(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    """A copy of the environment, made for another process: what is set in it is set there."""
    return External("os.environ")


_HANDLERS: dict[str, Handler] = {
    **VERSION_CALLS,
    **REGEX_CALLS,
    "os.environ.copy": _environment_copy,
    "os.getenv": _environment,
    "os.environ.get": _environment,
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
    "builtins.map": _map,
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
    "inspect.isclass": _is_class,
    "inspect.signature": _signature,
    "inspect.isawaitable": is_awaitable,
    "inspect.iscoroutine": is_awaitable,
    "asyncio.iscoroutine": is_awaitable,
    "inspect.iscoroutinefunction": is_coroutine_function,
    "asyncio.iscoroutinefunction": is_coroutine_function,
    "dataclasses.fields": _fields,
    "typing.cast": _cast,
    "typing_extensions.cast": _cast,
}
