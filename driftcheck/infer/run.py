"""Interpreting whole bodies: modules, functions, and what methods assign."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass

from driftcheck.index.module import Module
from driftcheck.index.outline import Item
from driftcheck.index.source import SourceFault
from driftcheck.infer.annotations import annotated
from driftcheck.infer.attributes import Lookup
from driftcheck.infer.frame import Env, Frame, Sink
from driftcheck.infer.liveness import Place, is_dead, is_private
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import (
    NONE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    FunctionValue,
    Instance,
    Missing,
    Scope,
    TupleOf,
    Value,
    union,
)
from driftcheck.infer.version_marks import is_left_out
from driftcheck.infer.world import World

MAX_BODY = 60_000
"""A body with more characters than this is not interpreted for its result alone."""
MAX_CONTEXTS = 6
"""Argument combinations for which one function is interpreted; further ones share the general answer."""
MAX_SMALL_CONTEXTS = 64
SMALL_BODY = 3_000
"""A helper of fewer characters is interpreted for more of them: guards ask one helper about many packages."""
MAX_CALLS = 6
"""How many calls deep a result is followed."""


def module_env(world: World, module: Module) -> Env | None:
    """The names of a consumer's module once its top level has run; None while that is going on."""
    key = ("module-env", module.name)
    if key in world.cache:
        return world.cache[key]
    world.cache[key] = None
    try:
        tree = module.source.tree
    except SourceFault as fault:
        world.consumer.faults[module.path] = fault
        return None
    scope = world.module_scope(module)
    frame = Frame(world, scope, scope.env, world.sink_for(module))
    depth, world.depth = world.depth, 0
    from driftcheck.infer.statements import execute

    try:
        execute(frame, tree.body)
    finally:
        world.depth = depth
    env = frame.env if frame.env is not None else (frame.raised.env if frame.raised else scope.env)
    scope.env = env
    world.cache[key] = env
    return env


@dataclass
class Pending:
    """A function whose body is still to be interpreted for its own uses, perhaps for certain arguments."""

    value: FunctionValue
    arguments: Arguments | None = None


def queue(world: World) -> deque[Pending]:
    """Functions met but not yet interpreted."""
    return world.cache.setdefault("pending", deque())


def drain(world: World, reached: set[Place]) -> None:
    """Interpret every function that was met, those that they define in turn included.

    Private functions wait until a place that calls them was ``reached``; one whose every call stands
    where this version never comes to is left out.
    """
    pending = queue(world)
    waiting: list[Pending] = []
    while pending:
        while pending:
            item = pending.popleft()
            if item.arguments is None and is_private(item.value.definition):
                waiting.append(item)
            else:
                interpret(world, item.value, item.arguments)
        ready = [item for item in waiting if not is_dead(world, item.value.definition, reached)]
        taken = {id(item) for item in ready}
        waiting = [item for item in waiting if id(item) not in taken]
        for item in ready:
            interpret(world, item.value, None)
        if ready and not pending:
            pending.extend(waiting)
            waiting = []


def item_at(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Item:
    """The outline item of a definition met inside a body."""
    source = frame.scope.module.source
    first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
    line_start = source.offset(first, 0)
    text = source.text
    at = line_start
    while text[at] in " \t":
        at += 1
    end = source.offset(node.end_lineno or first, node.end_col_offset or 0)
    kind = "class" if isinstance(node, ast.ClassDef) else "def"
    return Item(kind, node.name, at, end, text[line_start:at], source.blank)


def define_function(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Value:
    """A ``def`` statement: its value, and its body put off until the module has run."""
    module = frame.scope.module
    function = module.function_of(item_at(frame, node), frame.scope.cls)
    function.__dict__.setdefault("node", node)
    function.__dict__.setdefault("header", node)
    closure = frame.scope if frame.scope.function is not None or frame.scope.cls is not None else None
    value = FunctionValue(function, None, closure)
    if frame.sink is not None and not frame.quiet:
        if frame.scope.cls is None:
            queue(frame.world).append(Pending(value))
        frame.sink.defined(frame, node, value)
    return value


def define_class(frame: Frame, node: ast.ClassDef) -> Value:
    """A ``class`` statement: runs its body and puts its methods off."""
    module = frame.scope.module
    owner = frame.scope.cls if frame.scope.cls is not None else frame.scope.function
    cls = module.class_of(item_at(frame, node), owner)
    world = frame.world
    if frame.scope.function is not None or frame.scope.cls is not None:
        world.cache[("defining-scope", cls)] = Scope(
            module, dict(frame.env or {}), frame.scope.parent, frame.scope.function
        )
    value = ClassValue(cls)
    scope = Scope(module, {}, frame.scope, frame.scope.function, cls)
    body = Frame(world, scope, scope.env, frame.sink, quiet=frame.quiet)
    from driftcheck.infer.statements import execute

    inner = dict(frame.env) if frame.env is not None else {}
    body.env = {**inner}
    before = set(inner)
    execute(body, node.body)
    if frame.sink is not None and not frame.quiet:
        env = body.env or {}
        for name in [n for n in env if n not in before or env[n] is not inner.get(n)]:
            function = env[name]
            if isinstance(function, FunctionValue) and function.definition.owner is cls:
                queue(world).append(Pending(_as_method(world, function, value)))
        frame.sink.defined(frame, node, value)
    return value


def _as_method(world: World, function: FunctionValue, cls: ClassValue) -> FunctionValue:
    from driftcheck.infer.callables import kind_of

    kind = kind_of(world, function.definition)
    if kind == "static" and function.definition.name != "__new__":
        return function
    receiver: Value = cls if kind == "class" or function.definition.name == "__new__" else Instance(cls)
    return FunctionValue(function.definition, receiver, function.closure)


@dataclass
class Outcome:
    """What running a function showed; ``raised``: what it raises whatever happens, and what that derives from."""

    result: Value
    calls: dict[int, Value]
    stores: dict[str, list[Value]]
    raised: frozenset[str] = frozenset()


def interpret(
    world: World,
    value: FunctionValue,
    arguments: Arguments | None,
    heard: bool = True,
    body: list[ast.stmt] | None = None,
    listener: Sink | None = None,
) -> Outcome:
    """Run a function's body once with its parameters bound; tells the sink where it is the consumer's.

    ``body``: a part of it to run instead. ``listener``: who hears of it where the world's sink does not.
    """
    function = value.definition
    from driftcheck.infer.statements import execute

    try:
        node = function.node
    except (SourceFault, AssertionError, IndexError):
        return Outcome(UNKNOWN, {}, {})
    own = world.sink_for(function.module) if heard else listener
    if own is not None and is_left_out(world, function):
        own = None
    env = bound_parameters(
        world, value.closure or world.module_scope(function.module), node.args, arguments, value
    )
    scope = Scope(function.module, env, _lexical(value.closure), function)
    recorder = _Recorder(own, _receiver_name(node, value), {}, {})
    frame = Frame(world, scope, env, recorder)
    execute(frame, node.body if body is None else body)
    scope.env = frame.env if frame.env is not None else env
    returns = list(frame.returns)
    if frame.env is not None:
        returns.append(NONE)
    if function.is_generator:
        result: Value = Container("generator", union(frame.yields) if frame.yields else UNKNOWN)
    else:
        result = union(returns) if returns else UNKNOWN
    raised = frozenset[str]()
    if frame.raised and not returns:
        raised = frame.raised.above | {frame.raised.exception}
    return Outcome(result, recorder.calls, recorder.stores, raised)


def _lexical(closure: Scope | None) -> Scope | None:
    """The scope that names are looked up in: a class body's names are not seen from its methods."""
    while closure is not None and closure.cls is not None and closure.function is None:
        closure = closure.parent
    return closure


def _receiver_name(node: ast.FunctionDef | ast.AsyncFunctionDef, value: FunctionValue) -> str | None:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[0].arg if arguments and value.receiver is not None else None


class _Recorder:
    """Passes everything on and keeps callees and what is stored on the receiver."""

    def __init__(
        self,
        inner: Sink | None,
        receiver: str | None,
        calls: dict[int, Value],
        stores: dict[str, list[Value]],
    ) -> None:
        self.inner = inner
        self.receiver = receiver
        self.calls = calls
        self.stores = stores

    def called(
        self, frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, result: Value
    ) -> None:
        self.calls[id(node)] = callee
        if self.inner is not None:
            self.inner.called(frame, node, callee, arguments, result)

    def stored(self, frame: Frame, node: ast.AST, receiver: Value, name: str, value: Value) -> None:
        match node:
            case ast.Attribute(value=ast.Name(id=base)) | ast.Call(args=[ast.Name(id=base), *_]) if (
                base == self.receiver
            ):
                self.stores.setdefault(name, []).append(value)
        if self.inner is not None:
            self.inner.stored(frame, node, receiver, name, value)

    def imported(self, frame: Frame, node: ast.stmt, alias: ast.alias, module: str, value: Value) -> None:
        if self.inner is not None:
            self.inner.imported(frame, node, alias, module, value)

    def attribute(
        self, frame: Frame, node: ast.AST, receiver: Value, name: str, found: list[tuple[Value, Lookup]]
    ) -> None:
        if self.inner is not None:
            self.inner.attribute(frame, node, receiver, name, found)

    def ran(self, frame: Frame, node: ast.stmt) -> None:
        if self.inner is not None:
            self.inner.ran(frame, node)

    def defined(self, frame: Frame, node: ast.AST, value: Value) -> None:
        if self.inner is not None:
            self.inner.defined(frame, node, value)

    def used(self, frame: Frame, node: ast.AST, how: str, value: Value) -> None:
        if self.inner is not None:
            self.inner.used(frame, node, how, value)


def bound_parameters(
    world: World, scope: Scope, spec: ast.arguments, arguments: Arguments | None, value: FunctionValue | None
) -> Env:
    """The parameters' values: what is passed, else annotation and default."""
    env: Env = {}
    plain = [*spec.posonlyargs, *spec.args]
    positional = [a.value for a in arguments.positional] if arguments else []
    named = {k: a.value for k, a in arguments.keywords.items()} if arguments else {}
    if value is not None and value.receiver is not None:
        positional = [value.receiver, *positional]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(spec.defaults)) + list(spec.defaults)
    known = arguments is not None
    for number, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        passed = positional[number] if number < len(positional) else named.get(argument.arg)
        open_ended = arguments is None or arguments.open_positional or arguments.open_keywords
        env[argument.arg] = _parameter(world, scope, argument, default, passed, known and not open_ended)
    for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        open_ended = arguments is None or arguments.open_keywords
        env[argument.arg] = _parameter(
            world, scope, argument, default, named.get(argument.arg), known and not open_ended
        )
    if spec.vararg:
        rest = positional[len(plain) :]
        env[spec.vararg.arg] = (
            TupleOf(tuple(rest))
            if known and arguments and not arguments.open_positional
            else Container("tuple", UNKNOWN)
        )
    if spec.kwarg:
        taken = {a.arg for a in [*plain, *spec.kwonlyargs]}
        entries = tuple((k, v) for k, v in named.items() if k not in taken)
        env[spec.kwarg.arg] = DictOf(entries, known and arguments is not None and not arguments.open_keywords)
    return env


def _parameter(
    world: World, scope: Scope, argument: ast.arg, default: ast.expr | None, passed: Value | None, known: bool
) -> Value:
    said = annotated(world, scope.module, argument.annotation)
    if passed is not None:
        return passed if passed is not UNKNOWN else said
    from driftcheck.infer.evaluator import Evaluator

    if known and default is not None:
        value = Evaluator(world, scope).eval(default)
        return value if value is not UNKNOWN else said
    if said is not UNKNOWN:
        if isinstance(default, ast.Constant) and default.value is None:
            return union([said, NONE])
        return said
    return UNKNOWN


def _context(value: FunctionValue, arguments: Arguments | None) -> tuple[object, ...]:
    if arguments is None:
        return (value, None)
    return (
        value,
        tuple(a.value for a in arguments.positional),
        tuple(sorted(((k, a.value) for k, a in arguments.keywords.items()), key=lambda pair: pair[0])),
        arguments.open_positional,
        arguments.open_keywords,
    )


def returned(world: World, value: FunctionValue, arguments: Arguments | None) -> Value:
    """What a function's body returns for these arguments."""
    function = value.definition
    if len(function.text) > MAX_BODY:
        return UNKNOWN
    seen: set[tuple[object, ...]] = world.cache.setdefault(("contexts", function), set())
    key = _context(value, arguments)
    if key not in seen and len(seen) >= (
        MAX_SMALL_CONTEXTS if len(function.text) < SMALL_BODY else MAX_CONTEXTS
    ):
        arguments = None
        key = _context(value, None)
    if world.calls >= MAX_CALLS:
        world.taint()
        return UNKNOWN
    seen.add(key)
    unknown: Value = UNKNOWN
    return world.remember(("returned", key), lambda: _run_call(world, value, arguments), unknown)


def _run_call(world: World, value: FunctionValue, arguments: Arguments | None) -> Value:
    with world.guarded(("running", value.definition)) as free:
        if not free:
            return UNKNOWN
        world.calls += 1
        depth, world.depth = world.depth, 0
        try:
            return interpret(world, value, arguments).result
        finally:
            world.calls -= 1
            world.depth = depth


def call_getattr(world: World, module: Module, value: FunctionValue, name: str) -> Value:
    """What a module's ``__getattr__`` gives for a name; Missing where it raises AttributeError."""
    from driftcheck.infer.signatures import Argument

    arguments = Arguments([Argument(Const(name), ast.Constant(name))])
    with world.guarded(("getattr", value.definition, module.name, name)) as free:
        if not free:
            return UNKNOWN
        outcome = interpret(world, value, arguments, heard=False)
    if outcome.raised & {"AttributeError", "ImportError", "ModuleNotFoundError"}:
        return Missing(f"{module.name}.{name}")
    return outcome.result


def callee_in(world: World, value: FunctionValue, call: ast.Call) -> Value:
    """What a call inside a function's body calls; a function made in another calls what that one was given."""
    nothing: dict[int, Value] = {}
    around = value.closure if value.closure is not None and value.closure.function is not None else None
    found = world.remember(
        ("calls-in", value.definition, value.receiver, around),
        lambda: interpret(world, value, None, heard=False).calls,
        nothing,
    )
    return found.get(id(call), UNKNOWN)
