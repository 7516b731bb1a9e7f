"""Functions as callers meet them: decorators, signatures, and what a call gives."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Literal

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef, Parameter, own_nodes
from driftcheck.index.module import Module
from driftcheck.index.source import SourceFault
from driftcheck.infer.annotations import annotated
from driftcheck.infer.forwarding import Forward, chain_of, forwarded
from driftcheck.infer.signatures import Arguments, Signature
from driftcheck.infer.values import (
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    Coroutine,
    External,
    FunctionValue,
    Instance,
    LambdaValue,
    PartialValue,
    Scope,
    TupleOf,
    Value,
    options,
)
from driftcheck.infer.world import World

Effect = Literal["transparent", "dataclass", "property", "contextmanager", "asynccontextmanager", "unknown"]
MethodKind = Literal["method", "property", "static", "class", "unknown"]


def decorator_effect(world: World, module: Module, node: ast.expr, scope: Scope | None = None) -> str:
    """What a decorator leaves of what it decorates."""
    # The node is kept in the answer, so that no other node can get its identity.
    return world.remember(
        ("decorator", id(node)), lambda: (node, _effect(world, module, node, scope)), (node, "unknown")
    )[1]


def _effect(world: World, module: Module, node: ast.expr, scope: Scope | None) -> str:
    from driftcheck.infer.evaluator import Evaluator

    called = isinstance(node, ast.Call)
    target = node.func if isinstance(node, ast.Call) else node
    match target:
        case ast.Attribute(attr="setter" | "deleter" | "getter"):
            return "property"
    value = Evaluator(world, scope or world.module_scope(module)).eval(target)
    effects = {_value_effect(world, option, called, node) for option in options(value)}
    return effects.pop() if len(effects) == 1 else "unknown"


def _value_effect(world: World, value: Value, called: bool, node: ast.expr) -> str:
    match value:
        case External(path="builtins.property"):
            return "property"
        case External(path="builtins.staticmethod" | "builtins.classmethod"):
            return "transparent"
        case External(path=path):
            return world.facts.decorators.get(path, "unknown")
        case FunctionValue(definition=function):
            return _own_decorator(world, function, called)
        case ClassValue(definition=cls):
            above = _descriptor_of(world, cls)
            return above or "unknown"
    return "unknown"


def _descriptor_of(world: World, cls: ClassDef) -> str | None:
    from driftcheck.infer.hierarchy import mro

    for base in mro(world, cls).order:
        if isinstance(base, External) and base.path in ("builtins.property", "functools.cached_property"):
            return "property"
        if isinstance(base, ClassDef) and "__get__" in base.members and "__call__" not in base.members:
            return "property"
    return None


def _own_decorator(world: World, function: FunctionDef, called: bool) -> str:
    """The effect of a decorator that one of the trees defines, read from its body."""
    for decorator in function.decorators:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name == "dataclass_transform":
            return "dataclass"
    try:
        node = function.node
    except SourceFault:
        return "unknown"
    return _body_effect(world, function.module, node, 0)


Nested = dict[str, ast.FunctionDef | ast.AsyncFunctionDef]


def _body_effect(
    world: World, module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef, depth: int
) -> str:
    if depth > 3:
        return "unknown"
    nested = {n.name: n for n in own_nodes(node) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
    names = {a.arg for a in [*node.args.posonlyargs, *node.args.args]}
    effects: set[str] = set()
    for statement in own_nodes(node):
        if isinstance(statement, ast.Return) and statement.value is not None:
            effects |= _returned_effect(world, module, statement.value, names, nested, depth)
    effects.discard("none")
    if len(effects) == 1:
        return effects.pop()
    if effects and effects <= {"transparent", "dataclass"}:
        return "dataclass"
    return "unknown"


def _returned_effect(
    world: World, module: Module, value: ast.expr, names: set[str], nested: Nested, depth: int
) -> set[str]:
    match value:
        case ast.Name(id=name) if name in nested:
            inner = nested[name]
            if _wraps(inner):
                return {"transparent"}
            return {_body_effect(world, module, inner, depth + 1)}
        case ast.Name(id=name) if name in names:
            return {"transparent"}
        case ast.Call(func=func, args=args, keywords=keywords):
            passed = [a.id for a in args if isinstance(a, ast.Name)]
            if any(name in names for name in passed) or isinstance(func, ast.Call):
                return {decorator_effect(world, module, func)}
            if isinstance(func, ast.Name) and func.id in nested:
                return {_body_effect(world, module, nested[func.id], depth + 1)}
            if keywords or not args:
                return {decorator_effect(world, module, value)}
        case ast.IfExp(body=body, orelse=orelse):
            return _returned_effect(world, module, body, names, nested, depth) | _returned_effect(
                world, module, orelse, names, nested, depth
            )
        case ast.Constant(value=None):
            return {"none"}
    return {"unknown"}


def _wraps(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether an inner function is ``@wraps(f)`` with a signature that takes whatever ``f`` takes."""
    marked = any(
        isinstance(d, ast.Call) and getattr(d.func, "attr", getattr(d.func, "id", "")) == "wraps"
        for d in function.decorator_list
    )
    spec = function.args
    only_rest = not (spec.args or spec.posonlyargs or spec.kwonlyargs)
    return marked and only_rest and spec.vararg is not None and spec.kwarg is not None


def kind_of(world: World, function: FunctionDef) -> MethodKind:
    """How reading a method gives it: bound, as a property's value, static, or not known."""
    key = ("kind", function)
    if key not in world.cache:
        world.cache[key] = _kind(world, function)
    return world.cache[key]


def _kind(world: World, function: FunctionDef) -> MethodKind:
    kind: MethodKind = "method"
    if function.name in ("__new__",):
        return "static"
    if function.name in ("__init_subclass__", "__class_getitem__"):
        kind = "class"
    for decorator in function.decorators:
        match decorator:
            case ast.Name(id="staticmethod"):
                kind = "static"
                continue
            case ast.Name(id="classmethod"):
                kind = "class"
                continue
        effect = decorator_effect(world, function.module, decorator)
        if effect == "property":
            return "property"
    return kind


def has_opaque_decorator(world: World, function: FunctionDef) -> bool:
    """Whether some decorator may change how the function is called."""
    return any(
        decorator_effect(world, function.module, d)
        not in ("transparent", "contextmanager", "asynccontextmanager")
        for d in function.decorators
        if not (isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod", "property"))
    )


def signature_of(world: World, value: Value) -> Signature | None:
    """How a value can be called; None where that is not known."""
    match value:
        case FunctionValue():
            return _function_signature(world, value)
        case ClassValue(definition=cls):
            from driftcheck.infer.constructors import constructor

            return constructor(world, cls)
        case LambdaValue(node=node, closure=closure):
            from driftcheck.index.functions import parameters

            return Signature(
                parameters(node.args),
                open_keywords=node.args.kwarg is not None,
                path=closure.module.path,
                line=node.lineno,
                symbol="<lambda>",
            )
        case PartialValue(function=inner, args=args, keywords=keywords, open=is_open):
            return _partial_signature(world, inner, len(args), [k for k, _ in keywords], is_open)
        case Instance(cls=ClassValue(definition=cls)):
            from driftcheck.infer.attributes import lookup

            found = lookup(world, value, "__call__")
            if isinstance(found.value, FunctionValue):
                return signature_of(world, found.value)
    return None


def _partial_signature(
    world: World, inner: Value, given: int, named: list[str], is_open: bool
) -> Signature | None:
    signature = signature_of(world, inner)
    if signature is None or is_open:
        return None
    left: list[Parameter] = []
    skipped = 0
    for parameter in signature.parameters:
        if skipped < given and parameter.kind in ("positional", "ordinary"):
            skipped += 1
        elif parameter.name in named:
            left.append(replace(parameter, kind="keyword", has_default=True))
        else:
            left.append(parameter)
    return replace(signature, parameters=tuple(left))


def _function_signature(world: World, value: FunctionValue) -> Signature | None:
    function = value.definition
    bound = value.receiver is not None or value.static
    key = ("signature", function, bound, chain_of(value))
    return world.remember(key, lambda: _readable_signature(world, value), None)


def _readable_signature(world: World, value: FunctionValue) -> Signature | None:
    try:
        return _plain_signature(world, value)
    except SourceFault:
        return None


def _plain_signature(world: World, value: FunctionValue) -> Signature | None:
    function = value.definition
    if has_opaque_decorator(world, function):
        return None
    parameters = function.parameters
    if value.receiver is not None:
        if parameters and parameters[0].kind in ("positional", "ordinary"):
            parameters = parameters[1:]
        elif not parameters or parameters[0].kind != "var_positional":
            return None
    forward, open_keywords, open_positional = _rest(world, value, parameters)
    required = tuple(Parameter(name, "keyword") for name in sorted(forward.requires))
    return Signature(
        parameters + required,
        forward.accepts,
        open_keywords,
        open_positional,
        function.module.path,
        function.line,
        function.qualname,
    )


def _rest(
    world: World, value: FunctionValue, parameters: tuple[Parameter, ...]
) -> tuple[Forward, bool, bool]:
    """What ``**kwargs`` takes and requires, whether it takes anything, and whether ``*args`` is there."""
    forward = Forward()
    open_keywords = False
    open_positional = False
    for parameter in parameters:
        if parameter.kind == "var_keyword":
            found = forwarded(world, value, parameter.name)
            forward, open_keywords = (forward, True) if found is None else (found, False)
        elif parameter.kind == "var_positional":
            open_positional = True
    return forward, open_keywords, open_positional


def _is_plain(value: Value) -> bool:
    """Whether an annotation promises flags, numbers and texts only, alone or in a tuple, list or set."""
    for option in options(value):
        match option:
            case Instance(cls=External(path=path)) if path.startswith("builtins."):
                continue
            case TupleOf(elements=elements) if all(_is_plain(element) for element in elements):
                continue
            case Container(kind="list" | "tuple" | "set" | "frozenset", element=element) if _is_plain(
                element
            ):
                continue
        return False
    return True


def _is_constant(value: Value) -> bool:
    """Whether every part of a value is known."""
    match value:
        case Const():
            return True
        case TupleOf(elements=elements):
            return all(_is_constant(element) for element in elements)
        case Container(elements=tuple() as elements):
            return all(_is_constant(element) for element in elements)
    return False


def return_value(world: World, value: FunctionValue, arguments: Arguments | None) -> Value:
    """What calling a function gives: its annotation, else what its body returns."""
    function = value.definition
    try:
        header = function.header
    except SourceFault:
        return UNKNOWN
    effects = [
        decorator_effect(world, function.module, d)
        for d in function.decorators
        if not (isinstance(d, ast.Name) and d.id in ("staticmethod", "classmethod", "property"))
    ]
    if "unknown" in effects or "dataclass" in effects:
        return UNKNOWN
    receiver = value.receiver
    result = annotated(world, function.module, header.returns, receiver=_self_of(receiver))
    if result is UNKNOWN or (world.unset is not None and world.is_provider(function.module)):
        from driftcheck.infer.run import returned

        inferred = returned(world, value, arguments)
        result = result if inferred is UNKNOWN else inferred
    elif _is_plain(result) and not world.is_provider(function.module):
        # A guard's helper: which constant it gives on this version is what its callers ask.
        from driftcheck.infer.run import returned

        inferred = returned(world, value, arguments)
        result = inferred if _is_constant(inferred) else result
    if isinstance(header, ast.AsyncFunctionDef):
        if function.is_generator or "asynccontextmanager" in effects:
            return result if isinstance(result, Container) else Container("async_generator", UNKNOWN)
        return Coroutine(result)
    if "contextmanager" in effects:
        element = result.element if isinstance(result, Container) else UNKNOWN
        return Container("context", element)
    return result


def _self_of(receiver: Value | None) -> Value | None:
    if isinstance(receiver, ClassValue):
        return Instance(receiver)
    return receiver
