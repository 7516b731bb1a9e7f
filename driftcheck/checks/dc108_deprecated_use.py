"""DC108: what is used announces that it is deprecated."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import callee_name
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.index.module import Module
from driftcheck.infer.announced import concerned
from driftcheck.infer.callables import kind_of, signature_of
from driftcheck.infer.deprecation import (
    Notice,
    class_notices,
    module_notices,
    notices,
    removal_version,
    replacement,
)
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.run import interpret
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.subclasses import may_be_another
from driftcheck.infer.values import ClassValue, Const, FunctionValue, ModuleValue, Value, options
from driftcheck.uses import AttributeUse, CallUse, ImportUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    match use:
        case ImportUse():
            yield from _imported(use, view)
        case AttributeUse():
            yield from _read(use, view)
        case CallUse() if len(options(use.callee)) == 1:
            yield from _called(use, view, options(use.callee)[0])


def _imported(use: ImportUse, view: View) -> Iterable[Answer]:
    module = view.world.module(use.module)
    if module is None or not view.world.is_provider(module):
        return
    assert isinstance(use.node, (ast.Import, ast.ImportFrom))
    if use.name is None or use.node.names[0].name == use.name:
        for notice in module_notices(view.world, module):
            yield _answer(use, view, module, notice, use.module, use.module, subject="module")
    if use.name is not None:
        yield from _lazily_served(use, view, module, use.name)


def _read(use: AttributeUse, view: View) -> Iterable[Answer]:
    if len(use.answers) != 1:
        return
    value, found = use.answers[0]
    if isinstance(value, ModuleValue):
        module = view.world.module(value.name)
        if module is not None and found.status != "missing":
            yield from _lazily_served(use, view, module, use.name)
    elif isinstance(found.definition, FunctionDef) and kind_of(view.world, found.definition) == "property":
        function = found.definition
        told = notices(view.world, function) if view.world.is_provider(function.module) else ()
        plain = [notice for notice in told if not notice.tests and not notice.parameters]
        if plain and not may_be_another(view.world, value, use.name):  # that is looked for in both trees
            for notice in plain:
                yield _answer(use, view, function.module, notice, function.qualname, use.name)


def _lazily_served(use: Use, view: View, module: Module, name: str) -> Iterator[Answer]:
    """A name that a module's ``__getattr__`` still serves, with a warning."""
    bindings = [b for b in module.bindings.get("__getattr__", ()) if b.kind == "def"]
    if not bindings or name in module.bindings:
        return
    function = module.function_of(bindings[-1])
    announced = notices(view.world, function)
    if not announced:
        return
    arguments = Arguments([Argument(Const(name), ast.Constant(name))])
    outcome = interpret(view.world, FunctionValue(function), arguments, heard=False)
    if outcome.raised:
        return
    for notice in announced:
        if notice.node is not None and id(notice.node) in outcome.calls:
            yield _answer(use, view, module, notice, f"{module.name}.{name}", f"{module.name}.{name}")
            return


def _called(use: CallUse, view: View, callee: Value) -> Iterable[Answer]:
    signature = signature_of(view.world, callee)
    passed = {name: argument.value for name, argument in use.arguments.keywords.items()}
    nodes = {name: argument.node for name, argument in use.arguments.keywords.items()}
    if signature is not None:
        for parameter, argument in zip(signature.positional(), use.arguments.positional, strict=False):
            passed[parameter.name], nodes[parameter.name] = argument.value, argument.node
    for module, function, found in _announcements(view, callee):
        for notice in found:
            applies, about = concerned(function, notice, passed) if function is not None else (True, None)
            if not applies:
                continue
            if about is None:
                name = callee_name(callee, signature) if signature is not None else _name(callee)
                yield _answer(use, view, module, notice, _symbol(callee), f"{name}()")
            elif about in nodes:
                yield _answer(
                    use,
                    view,
                    module,
                    notice,
                    f"{_symbol(callee)}.{about}",
                    f"{about} of {_name(callee)}()",
                    nodes[about],
                    about,
                )
            break


def _announcements(
    view: View, callee: Value
) -> Iterator[tuple[Module, FunctionDef | None, tuple[Notice, ...]]]:
    """Where calling something of the provider announces deprecations: itself, a class and its constructor."""
    world = view.world
    if isinstance(callee, FunctionValue):
        if world.is_provider(callee.definition.module):
            yield callee.definition.module, callee.definition, notices(world, callee.definition)
        return
    if not isinstance(callee, ClassValue):
        return
    for owner in mro(world, callee.definition).order:
        if not isinstance(owner, ClassDef) or not world.is_provider(owner.module):
            continue
        told = class_notices(world, owner)
        mine = owner is callee.definition
        yield owner.module, None, tuple(notice for notice in told if mine or not notice.alone)
    for name in ("__init__", "__post_init__"):
        for owner in mro(world, callee.definition).order:
            method = owner.method(name) if isinstance(owner, ClassDef) else None
            if method is not None:
                if world.is_provider(method.module):
                    yield method.module, method, notices(world, method)
                break


def _symbol(callee: Value) -> str:
    assert isinstance(callee, (ClassValue, FunctionValue))
    return callee.definition.qualname


def _name(callee: Value) -> str:
    assert isinstance(callee, (ClassValue, FunctionValue))
    return callee.definition.name


def _answer(
    use: Use, view: View, module: Module, notice: Notice, symbol: str, what: str,
    node: ast.AST | None = None, subject: str = "",
) -> Answer:  # fmt: skip
    text = " ".join(notice.text.split())
    version, instead = removal_version(text), replacement(text)
    message = f"{what} is deprecated in {view.version}"
    if version:
        message += f" and is to be removed in {version}"
    if instead:
        message += f"; use {instead}"
    elif text.strip("…"):
        message += f": {text[:160]}"
    consumer = view.world.consumer.module(view.world.consumer.module_name(use.path))
    span = consumer.source.span(node) if node is not None and consumer is not None else use.span
    return Answer(
        "DC108", use.path, span, symbol, message, subject=subject, severity="note",
        evidence=(view.evidence(module, notice.line),),
    )  # fmt: skip
