"""Evaluating expressions to abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from driftcheck.index.nodes import nodes_of
from driftcheck.infer import builtin_calls
from driftcheck.infer.attributes import Lookup, lookup
from driftcheck.infer.calls import call_value
from driftcheck.infer.comparisons import ORDERINGS, array_of, combine, compared
from driftcheck.infer.containers import element_of, subscript
from driftcheck.infer.dispatch import dispatched, dispatched_result
from driftcheck.infer.displays import comprehension_of, dict_of, list_of, set_of, tuple_of
from driftcheck.infer.frame import Frame, forget, path_of
from driftcheck.infer.moves import moved_value
from driftcheck.infer.origins import note_assignment, note_call
from driftcheck.infer.put_on import put_on
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Container,
    Coroutine,
    DictOf,
    External,
    FunctionValue,
    Instance,
    LambdaValue,
    Missing,
    ModuleValue,
    Scope,
    TupleOf,
    Value,
    options,
    truth,
    union,
)


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression at the current point."""
    handler = _HANDLERS.get(type(node))
    return handler(frame, node) if handler else UNKNOWN


def _constant(frame: Frame, node: ast.Constant) -> Value:
    return Const(node.value)


def _name(frame: Frame, node: ast.Name) -> Value:
    value = frame.read(node.id)
    return UNKNOWN if isinstance(value, Missing) else value


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    receiver = evaluate(frame, node.value)
    return read_attribute(frame, node, receiver, node.attr, path_of(node))


def read_attribute(frame: Frame, node: ast.AST, receiver: Value, name: str, path: str | None) -> Value:
    """Read an attribute; tells the sink, and raises where an enclosing handler waits for that."""
    found = [(option, lookup(frame.world, option, name)) for option in options(receiver)]
    sink = frame.hears
    if sink is not None and isinstance(node, ast.Attribute):
        sink.used(frame, node, "attribute", receiver)
    guarded = path is not None and frame.env is not None and ("?" + path) in frame.env
    if sink is not None and not guarded:
        sink.attribute(frame, node, receiver, name, found)
    if (
        not guarded
        and all(answer.status == "missing" for _, answer in found)
        and frame.catches("AttributeError")
    ):
        frame.raise_("AttributeError")
        return UNKNOWN
    if path is not None and frame.env is not None and path in frame.env:
        return frame.env[path]
    values = [
        _read(frame, option, name, answer)
        for option, answer in found
        if not (option == NONE and len(found) > 1)
    ]
    return union(values)


def _read(frame: Frame, receiver: Value, name: str, answer: Lookup) -> Value:
    """What one lookup gives: of a name that is gone from a module the definition at its new place."""
    if answer.status == "missing" and isinstance(receiver, ModuleValue):
        if frame.world.index_of(receiver.name) is frame.world.provider:
            return moved_value(frame.world, receiver.name, name)
    if answer.status == "missing" and isinstance(receiver, Instance):
        return put_on(frame.world, name)
    return answer.value


def _call(frame: Frame, node: ast.Call) -> Value:
    callee = evaluate(frame, node.func)
    arguments = read_arguments(frame, node)
    if frame.env is not None and frame.scope.function is not None:
        # A nested function that is called now sees what its enclosing variables hold now.
        frame.scope.env = frame.env
    special = builtin_calls.special(frame, node, callee, arguments)
    result = special if special is not None else call_value(frame, callee, arguments, node)
    named = (
        None if frame.world.is_provider(frame.scope.module) else dispatched(frame.world, callee, arguments)
    )
    if named is not None:
        result = dispatched_result(frame.world, named, arguments, result)
    note_call(frame, node, callee)
    sink = frame.hears
    if sink is not None and frame.env is not None:
        sink.called(frame, node, callee, arguments, result)
        if isinstance(callee, External) and callee.path in _AWAITING:
            for argument in arguments.positional:
                if isinstance(argument.node, ast.expr):
                    sink.used(frame, argument.node, "await", argument.value)
    if frame.handlers and frame.env is not None and frame.catches("TypeError"):
        _raise_type_error(frame, callee, arguments)
    return result


_AWAITING = frozenset(
    {
        "asyncio.run",
        "asyncio.gather",
        "asyncio.create_task",
        "asyncio.ensure_future",
        "asyncio.wait_for",
        "asyncio.shield",
    }
)
"""Calls that await what they are given. Source: the library reference of asyncio."""


def _raise_type_error(frame: Frame, callee: Value, arguments: Arguments) -> None:
    from driftcheck.infer.callables import signature_of
    from driftcheck.infer.signatures import bind

    signatures = [signature_of(frame.world, option) for option in options(callee)]
    if signatures and all(s is not None and bind(s, arguments) for s in signatures):
        frame.raise_("TypeError")


def read_arguments(frame: Frame, node: ast.Call) -> Arguments:
    """Evaluate a call's arguments; ``*`` and ``**`` of known content are read item by item."""
    found = Arguments()
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = evaluate(frame, argument.value)
            if isinstance(value, TupleOf):
                found.positional.extend(Argument(v, argument) for v in value.elements)
            elif isinstance(value, Container) and value.elements is not None and value.kind == "list":
                found.positional.extend(Argument(v, argument) for v in value.elements)
            else:
                found.open_positional = True
        else:
            found.positional.append(Argument(evaluate(frame, argument), argument))
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        if keyword.arg is not None:
            found.keywords[keyword.arg] = Argument(value, keyword, keyword.arg)
            continue
        if isinstance(value, DictOf):
            for name, entry in value.entries:
                place = value.place(name, frame.scope.module.path)
                found.keywords.setdefault(name, Argument(entry, place or keyword.value, name))
            if not value.closed:
                found.open_keywords = True
        else:
            found.open_keywords = True
    return found


def tested(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that is asked for its truth; of ``a and b`` every part is that is come to."""
    if isinstance(node, ast.BoolOp):
        return _bool_op(frame, node, asked=True)
    value = evaluate(frame, node)
    if frame.hears is not None and frame.env is not None:
        frame.hears.used(frame, node, "truth", value)
    return value


def _bool_op(frame: Frame, node: ast.BoolOp, asked: bool = False) -> Value:
    """``asked``: the truth of the whole is asked for, and so that of the last part."""
    from driftcheck.infer.narrowing import assume

    before = dict(frame.env) if frame.env is not None else None
    wanted = isinstance(node.op, ast.And)
    results: list[Value] = []
    for number, part in enumerate(node.values):
        last = number == len(node.values) - 1
        value = evaluate(frame, part) if last and not asked else tested(frame, part)
        answer = truth(value)
        if last:
            results.append(value)
            break
        if answer is not None and answer is not wanted:
            results.append(value)
            break
        if answer is None:
            results.append(_decided(value, not wanted))
        if not assume(frame, part, wanted):
            break
    frame.env = _keep_walrus(before, frame.env)
    joined = union(results) if results else UNKNOWN
    if joined is UNKNOWN and wanted and results and truth(results[-1]) is False:
        # Whatever part decides, all of ``a and False`` is false.
        return results[-1]
    return joined


def _decided(value: Value, answer: bool) -> Value:
    """``value`` where its truth is known to be ``answer``."""
    kept = [v for v in options(value) if truth(v) in (None, answer)]
    return union(kept) if kept else UNKNOWN


def _keep_walrus(before: dict[str, Value] | None, after: dict[str, Value] | None) -> dict[str, Value] | None:
    if before is None or after is None:
        return before
    for name, value in after.items():
        if name not in before and "." not in name and not name.startswith("?"):
            before[name] = value
    return before


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        answer = truth(tested(frame, node.operand))
        return UNKNOWN if answer is None else Const(not answer)
    value = evaluate(frame, node.operand)
    if isinstance(value, Const):
        try:
            return Const(_UNARY[type(node.op)](value.value))
        except Exception:
            return UNKNOWN
    return value if isinstance(value, Instance) else UNKNOWN


_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def _bin_op(frame: Frame, node: ast.BinOp) -> Value:
    left = evaluate(frame, node.left)
    right = evaluate(frame, node.right)
    _used_as_data(frame, node.left, "arithmetic", left, right)
    if not isinstance(node.op, ast.Mod):  # a text takes up anything
        _used_as_data(frame, node.right, "arithmetic", right, left)
    return combine(left, node.op, right)


def _used_as_data(frame: Frame, node: ast.expr, how: str, value: Value, other: Value) -> None:
    """Tell of a function that stands in a sum or a comparison with plain data."""
    if frame.hears is not None and isinstance(value, FunctionValue) and _is_plain(other):
        frame.hears.used(frame, node, how, value)


def _is_plain(value: Value) -> bool:
    """Whether a value is built in, and so has no way of its own to meet a function."""
    match value:
        case Instance(cls=External(path=path)):
            return path.startswith("builtins.")
        case Const() | TupleOf() | Container():
            return value != NONE
    return False


def _compare(frame: Frame, node: ast.Compare) -> Value:
    left = evaluate(frame, node.left)
    answers: list[bool | None] = []
    before = node.left
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = evaluate(frame, comparator)
        _compared_as_data(frame, before, op, left, right)
        _compared_as_data(frame, comparator, op, right, left)
        before = comparator
        if isinstance(op, (ast.In, ast.NotIn)) and frame.hears is not None:
            frame.hears.used(frame, node, "contains", element_of(frame.world, right))
        elif type(op) in ORDERINGS and (array := array_of(left, right)) is not None:
            return array
        answers.append(compared(left, op, right))
        left = right
    if False in answers:
        return FALSE
    return UNKNOWN if None in answers else TRUE


def _compared_as_data(frame: Frame, node: ast.expr, op: ast.cmpop, value: Value, other: Value) -> None:
    """Tell of a function that is put in order, or that is asked to equal plain data."""
    if isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        _used_as_data(frame, node, "ordered", value, other)
    elif isinstance(op, (ast.Eq, ast.NotEq)):
        _used_as_data(frame, node, "equal", value, other)


def _if_exp(frame: Frame, node: ast.IfExp) -> Value:
    from driftcheck.infer.narrowing import assume

    answer = truth(tested(frame, node.test))
    before = dict(frame.env) if frame.env is not None else None
    results: list[Value] = []
    for wanted, part in ((True, node.body), (False, node.orelse)):
        if answer is not None and answer is not wanted:
            continue
        frame.env = dict(before) if before is not None else None
        if assume(frame, node.test, wanted):
            results.append(evaluate(frame, part))
    frame.env = before
    return union(results) if results else UNKNOWN


def _lambda(frame: Frame, node: ast.Lambda) -> Value:
    scope = Scope(
        frame.scope.module, frame.env if frame.env is not None else {}, frame.scope, frame.scope.function
    )
    if frame.hears is not None and frame.env is not None:
        inner = Frame(
            frame.world,
            scope,
            {**frame.env, **{a.arg: UNKNOWN for a in nodes_of(node.args) if isinstance(a, ast.arg)}},
            frame.sink,
        )
        evaluate(inner, node.body)
    return LambdaValue(node, scope)


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    receiver = evaluate(frame, node.value)
    sliced = isinstance(node.slice, ast.Slice)
    index: Value | slice | None
    index = _bounds(frame, node.slice) if isinstance(node.slice, ast.Slice) else evaluate(frame, node.slice)
    if frame.hears is not None:
        frame.hears.used(frame, node, "slice" if sliced else "subscript", receiver)
    return subscript(frame.world, receiver, index)


def _bounds(frame: Frame, node: ast.Slice) -> slice | None:
    """A slice whose bounds are known; else None."""
    parts = (node.lower, node.upper, node.step)
    values = [NONE if part is None else evaluate(frame, part) for part in parts]
    if all(isinstance(v, Const) and isinstance(v.value, int | None) for v in values):
        start, stop, step = (v.value for v in values if isinstance(v, Const))
        return slice(start, stop, step) if step != 0 else None
    return None


def _await(frame: Frame, node: ast.Await) -> Value:
    value = evaluate(frame, node.value)
    if frame.hears is not None:
        frame.hears.used(frame, node, "await", value)
    results = [o.result if isinstance(o, Coroutine) else UNKNOWN for o in options(value)]
    return union(results)


def _named(frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(frame, node.value)
    if frame.env is not None:
        frame.env[node.target.id] = value
        forget(frame.env, node.target.id)
        note_assignment(frame, node.target.id, node.value)
    return value


def _yield(frame: Frame, node: ast.Yield) -> Value:
    frame.yields.append(evaluate(frame, node.value) if node.value else NONE)
    return UNKNOWN


def _yield_from(frame: Frame, node: ast.YieldFrom) -> Value:
    frame.yields.append(element_of(frame.world, evaluate(frame, node.value)))
    return UNKNOWN


def _joined(frame: Frame, node: ast.JoinedStr) -> Value:
    parts: list[str] = []
    known = True
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(frame, part.value)
            if (
                isinstance(value, Const)
                and isinstance(value.value, (str, int))
                and part.conversion == -1
                and not part.format_spec
            ):
                parts.append(str(value.value))
            else:
                known = False
        elif isinstance(part, ast.Constant):
            parts.append(str(part.value))
    known = known and sum(map(len, parts)) <= _LONGEST
    return Const("".join(parts)) if known else Instance(External("builtins.str"), True)


_LONGEST = 10_000
"""Characters of a string that is followed: strings put together of strings may double with every line."""


def _starred(frame: Frame, node: ast.Starred) -> Value:
    evaluate(frame, node.value)
    return UNKNOWN


_HANDLERS: dict[type, Callable[[Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BoolOp: _bool_op,
    ast.UnaryOp: _unary,
    ast.BinOp: _bin_op,
    ast.Compare: _compare,
    ast.IfExp: _if_exp,
    ast.Tuple: tuple_of,
    ast.List: list_of,
    ast.Set: set_of,
    ast.Dict: dict_of,
    ast.Lambda: _lambda,
    ast.ListComp: comprehension_of,
    ast.SetComp: comprehension_of,
    ast.GeneratorExp: comprehension_of,
    ast.DictComp: comprehension_of,
    ast.Subscript: _subscript,
    ast.Await: _await,
    ast.NamedExpr: _named,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.JoinedStr: _joined,
    ast.Starred: _starred,
}
