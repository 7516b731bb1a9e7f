"""What a test that came out one way says of the names in it."""

from __future__ import annotations

import ast

from driftcheck.infer.attributes import lookup
from driftcheck.infer.frame import Env, Frame, path_of
from driftcheck.infer.hierarchy import Mro, is_subclass, mro
from driftcheck.infer.narrowed import narrow_by_test
from driftcheck.infer.values import (
    NONE,
    UNKNOWN,
    ClassValue,
    Const,
    Container,
    DictOf,
    External,
    FunctionValue,
    Instance,
    LambdaValue,
    ModuleValue,
    PartialValue,
    TupleOf,
    Value,
    options,
    truth,
    union,
    without_none,
)
from driftcheck.infer.world import World


def assume(frame: Frame, test: ast.expr, answer: bool) -> bool:
    """Narrow the state to where ``test`` is ``answer``; False where that cannot be. Tells the sink nothing."""
    if frame.env is None:
        return False
    frame.quiet += 1
    try:
        return _assume(frame, frame.env, test, answer)
    finally:
        frame.quiet -= 1


def _assume(frame: Frame, env: Env, test: ast.expr, answer: bool) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _assume(frame, env, operand, not answer)
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.And) is answer:
                return all(_assume(frame, env, value, answer) for value in values)
            return True
        case ast.NamedExpr(target=target):
            return _narrow_truth(env, target.id, env.get(target.id, UNKNOWN), answer)
        case ast.Name() | ast.Attribute():
            path = path_of(test)
            return path is None or _narrow_truth(env, path, _read(frame, test), answer)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compare(frame, env, left, op, right, answer)
        case ast.Call(func=ast.Name(id="hasattr"), args=[subject, ast.Constant(value=str(name))]):
            return _has(frame, env, subject, name, answer, [])
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, wanted]):
            return _instance(frame, env, subject, wanted, answer)
        case ast.Call(
            func=ast.Name(id="callable"),
            args=[
                ast.Call(func=ast.Name(id="getattr"), args=[subject, ast.Constant(value=str(name)), *rest])
            ],
        ):
            return _has(frame, env, subject, name, answer, rest)
        case ast.Call(func=ast.Name(id="getattr"), args=[subject, ast.Constant(value=str(name)), *rest]):
            return _has(frame, env, subject, name, answer, rest)
        case ast.Call(func=ast.Name() | ast.Attribute() as tester, args=[subject, *_]):
            if answer and frame.sink is not None:
                narrow_by_test(frame, env, subject, _read(frame, tester))
    return True


def _read(frame: Frame, node: ast.expr) -> Value:
    from driftcheck.infer.expressions import evaluate

    return evaluate(frame, node)


def _narrow_truth(env: Env, path: str, value: Value, answer: bool) -> bool:
    kept = [v for v in options(value) if truth(v) in (None, answer)]
    if not kept:
        return False
    if answer:
        kept = [v for v in kept if v != NONE]
    if value is not UNKNOWN:
        env[path] = union(kept)
    return True


def _compare(frame: Frame, env: Env, left: ast.expr, op: ast.cmpop, right: ast.expr, answer: bool) -> bool:
    if (
        isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        and isinstance(right, ast.Constant)
        and right.value is None
    ):
        same = isinstance(op, (ast.Is, ast.Eq)) is answer
        if isinstance(left, ast.Call):
            match left:
                case ast.Call(
                    func=ast.Name(id="getattr"), args=[subject, ast.Constant(value=str(name)), *rest]
                ):
                    return _has(frame, env, subject, name, not same, rest)
        target = left.target if isinstance(left, ast.NamedExpr) else left
        path = path_of(target)
        if path is None:
            return True
        value = _read(frame, target)
        if same:
            if value is not UNKNOWN and NONE not in options(value):
                return True
            env[path] = NONE
            return True
        if value == NONE:
            return False
        if value is not UNKNOWN:
            env[path] = without_none(value)
    elif answer:
        for side in (left, right):
            match side:
                case ast.Call(func=ast.Name(id="getattr"), args=[subject, ast.Constant(value=str(name)), _]):
                    _provided_for(env, subject, name)
    return True


def _has(frame: Frame, env: Env, subject: ast.expr, name: str, answer: bool, default: list[ast.expr]) -> bool:
    """What has an attribute that its declared class does not have is an object of some other class.

    Only where the ``default`` does not pass the test as well.
    """
    path = path_of(subject)
    if path is not None and answer:
        _provided_for(env, subject, name)
        value = _read(frame, subject)
        if isinstance(value, Instance) and not value.exact and all(_is_no(node) for node in default):
            if lookup(frame.world, value, name).status == "missing":
                env[path] = UNKNOWN
    return True


def _provided_for(env: Env, subject: ast.expr, name: str) -> None:
    """Whoever asks for an attribute with a default counts on its absence."""
    path = path_of(subject)
    if path is not None:
        env[f"?{path}.{name}"] = UNKNOWN


def _is_no(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, False)


def _instance(frame: Frame, env: Env, subject: ast.expr, wanted: ast.expr, answer: bool) -> bool:
    path = path_of(subject)
    if path is None:
        return True
    value, classes = _read(frame, subject), _read(frame, wanted)
    kept = [v for v in options(value) if instance_of(frame.world, v, classes) in (None, answer)]
    if not kept:
        return False
    if not answer:
        if value is not UNKNOWN:
            env[path] = union(kept)
        return True
    sure = [v for v in kept if instance_of(frame.world, v, classes) is True]
    env[path] = union(sure) if sure and len(sure) == len(kept) else _instances(classes, sure)
    return True


def _instances(classes: Value, sure: list[Value]) -> Value:
    found: list[Value] = list(sure)
    for option in classes.elements if isinstance(classes, TupleOf) else options(classes):
        if isinstance(option, External) and option.path in _CONTAINERS:
            found.append(
                DictOf()
                if option.path == "builtins.dict"
                else Container(option.path.rpartition(".")[2], UNKNOWN)
            )
        elif isinstance(option, (ClassValue, External)):
            found.append(Instance(option))
        else:
            return UNKNOWN
    return union(found) if found else UNKNOWN


_CONTAINERS = frozenset(
    {"builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "builtins.dict"}
)


def _all_plain(line: Mro) -> bool:
    """Whether every class of an order is known and none is of another library or built in."""
    return line.complete and not any(isinstance(cls, External) for cls in line.order)


def instance_of(world: World, value: Value, wanted: Value) -> bool | None:
    """Whether a value is an instance of a class or of one of a tuple of classes."""
    if isinstance(wanted, TupleOf):
        answers = [instance_of(world, value, w) for w in wanted.elements]
        if True in answers:
            return True
        return None if None in answers else False
    match value, wanted:
        case ClassValue(), External(path="builtins.type"):
            return True
        case (
            (FunctionValue() | LambdaValue() | PartialValue() | ModuleValue()),
            External(path="builtins.type"),
        ):
            return False
        case Instance(cls=ClassValue(definition=cls), exact=exact), ClassValue(definition=other):
            found = is_subclass(world, cls, other)
            return True if found else (False if found is False and exact else None)
        case Instance(cls=ClassValue(definition=cls), exact=True), External(path=path):
            # An object is of a built-in class only where its own class is below that one.
            built_in = path.startswith("builtins.") and path != "builtins.object"
            return False if built_in and _all_plain(mro(world, cls)) else None
        case Instance(cls=External(path=a)), External(path=b):
            return True if a == b else None
        case Instance(cls=External(path=a)), ClassValue():
            return False if a.startswith("builtins.") else None
        case Const(value=constant), External(path=path):
            kind = type(constant)
            names = {f"builtins.{c.__name__}" for c in kind.__mro__}
            return path in names if path.startswith("builtins.") else None
        case Const(), ClassValue():
            return False
        case Container(kind=kind), External(path=path):
            if path in _CONTAINERS and f"builtins.{kind}" in _CONTAINERS:
                return path == f"builtins.{kind}"
            return None
        case TupleOf(), External(path=path):
            return path == "builtins.tuple" if path in _CONTAINERS else None
        case DictOf(), External(path=path):
            return path == "builtins.dict" if path in _CONTAINERS else None
    return None
