"""Interpreting statements: state flows forward, branches that cannot be taken are left out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from driftcheck.index.nodes import nodes_of
from driftcheck.infer.comparisons import combine, compared
from driftcheck.infer.containers import element_of, iterate, with_entry, without_entry
from driftcheck.infer.exceptions import builtins_above, run_try, run_with
from driftcheck.infer.expressions import evaluate, tested
from driftcheck.infer.frame import Env, Frame, Raised, bind_name, forget, merge, path_of
from driftcheck.infer.imports import run_import, run_import_from
from driftcheck.infer.narrowed import note_narrowed
from driftcheck.infer.origins import note_assignment, origin_of
from driftcheck.infer.reclassed import reclass
from driftcheck.infer.standins import with_provider
from driftcheck.infer.values import (
    NONE,
    UNKNOWN,
    Const,
    Container,
    DictOf,
    Value,
    options,
    truth,
    union,
)


def execute(frame: Frame, body: list[ast.stmt]) -> None:
    """Run statements until the end of the block or until the point cannot be reached."""
    for statement in body:
        if frame.env is None:
            return
        if frame.hears is not None:
            frame.hears.ran(frame, statement)
        handler = _HANDLERS.get(type(statement))
        if handler is not None:
            handler(frame, statement)


def _expression(frame: Frame, node: ast.Expr) -> None:
    value = evaluate(frame, node.value)
    if frame.hears is not None and isinstance(node.value, ast.Call):
        frame.hears.used(frame, node.value, "dropped", value)
    match node.value:
        case (
            ast.Call(func=ast.Name(id="exit" | "quit"))
            | ast.Call(func=ast.Attribute(value=ast.Name(id="sys"), attr="exit"))
            | ast.Call(func=ast.Attribute(value=ast.Name(id="pytest"), attr="skip" | "fail"))
        ):
            frame.env = None


def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    for target in node.targets:
        bind_target(frame, target, value, node.value)


def _ann_assign(frame: Frame, node: ast.AnnAssign) -> None:
    from driftcheck.infer.annotations import annotated

    said = annotated(frame.world, frame.scope.module, node.annotation)
    if node.value is None:
        if isinstance(node.target, ast.Name) and frame.scope.cls is not None and frame.env is not None:
            frame.env.setdefault(node.target.id, said)
        return
    value = evaluate(frame, node.value)
    if _stays_empty(frame, value):
        pass
    elif (
        value is UNKNOWN
        or value == NONE
        or (isinstance(value, (Container, DictOf)) and said is not UNKNOWN and not _informative(value))
    ):
        value = said if said is not UNKNOWN else value
    bind_target(frame, node.target, value, node.value)


def _informative(value: Value) -> bool:
    if isinstance(value, DictOf):
        return bool(value.entries) or value.value is not UNKNOWN
    return isinstance(value, Container) and value.element is not UNKNOWN


def _stays_empty(frame: Frame, value: Value) -> bool:
    """Whether an empty display tells more than its annotation: where nothing is set, it stays empty."""
    return frame.world.unset is not None and isinstance(value, Container) and value.elements == ()


def _aug_assign(frame: Frame, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        before = frame.read(node.target.id)
    elif isinstance(node.target, ast.Attribute):
        before = evaluate(
            frame,
            ast.copy_location(ast.Attribute(node.target.value, node.target.attr, ast.Load()), node.target),
        )
    else:
        before = UNKNOWN
        evaluate(frame, node.target.value)
    value = combine(before, node.op, evaluate(frame, node.value))
    path = path_of(node.target)
    if path is not None and frame.env is not None:
        frame.env[path] = value
        forget(frame.env, path)


def bind_target(frame: Frame, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
    """Assign a value to a target: a name, an attribute, an item, or several at once."""
    env = frame.env
    if env is None:
        return
    match target:
        case ast.Name(id=name):
            bind_name(frame, name, value)
            note_assignment(frame, name, source)
            note_narrowed(frame, name, source)
        case ast.Attribute(value=base, attr=attr):
            receiver = evaluate(frame, base)
            path = path_of(target)
            if frame.hears is not None:
                frame.hears.stored(frame, target, receiver, attr, value)
            if attr == "__class__" and frame.env is not None:
                reclass(frame.env, base, value)
            elif path is not None and frame.env is not None:
                frame.env[path] = value
                forget(frame.env, path)
                note_assignment(frame, path, source)
                note_narrowed(frame, path, source)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            _unpack(frame, target, elts, value, source)
        case ast.Subscript(value=base, slice=index):
            _store_item(frame, base, index, value)
        case ast.Starred(value=inner):
            bind_target(frame, inner, Container("list", value))


def _unpack(
    frame: Frame, target: ast.expr, elts: list[ast.expr], value: Value, source: ast.expr | None
) -> None:
    if frame.hears is not None:
        if source is not None and (origin := origin_of(frame, source)) is not None:
            frame.origins[id(target)] = origin
        frame.hears.used(frame, target, "unpack", value)
    starred = next((n for n, e in enumerate(elts) if isinstance(e, ast.Starred)), None)
    if starred is None:
        parts = [iterate(frame.world, option, len(elts)) for option in options(value)]
        for number, inner in enumerate(elts):
            bind_target(frame, inner, union([part[number] for part in parts]))
        return
    element = element_of(frame.world, value)
    known = getattr(value, "elements", None)
    for number, inner in enumerate(elts):
        if isinstance(inner, ast.Starred):
            bind_target(frame, inner.value, Container("list", element))
        elif known is not None and number < starred and number < len(known):
            bind_target(frame, inner, known[number])
        else:
            bind_target(frame, inner, element)


def _store_item(frame: Frame, base: ast.expr, index: ast.expr, value: Value) -> None:
    receiver = evaluate(frame, base)
    key = evaluate(frame, index) if not isinstance(index, ast.Slice) else UNKNOWN
    path = path_of(base)
    if frame.hears is not None and isinstance(key, Const):
        frame.hears.used(
            frame, ast.copy_location(ast.Subscript(base, index, ast.Store()), index), "item-set", receiver
        )
    if frame.env is None or path is None:
        return
    if isinstance(receiver, DictOf):
        if isinstance(key, Const) and isinstance(key.value, str):
            frame.env[path] = with_entry(receiver, key.value, value, frame.scope.module.path, index)
        else:
            entry = (
                value
                if receiver.value is UNKNOWN and not receiver.entries
                else union([receiver.value, value])
            )
            frame.env[path] = DictOf(receiver.entries, False, key, entry, receiver.places)
    elif isinstance(receiver, Container):
        frame.env[path] = Container(receiver.kind, union([receiver.element, value]))


def _if(frame: Frame, node: ast.If) -> None:
    from driftcheck.infer.narrowing import assume

    test = tested(frame, node.test)
    if frame.env is None:
        return
    answer = _type_checking(node.test)
    if answer is None:
        answer = truth(test)
    if answer is None and frame.world.unset is not None:
        answer = frame.world.unset.test(frame, node, test)
    before = frame.env
    ends: list[Env | None] = []
    for wanted, body in ((True, node.body), (False, node.orelse)):
        if answer is not None and answer is not wanted:
            continue
        frame.env = dict(before)
        if not assume(frame, node.test, wanted):
            continue
        execute(frame, body)
        ends.append(frame.env)
    if answer is None and len(ends) == 2:
        with_provider(frame, node, ends[0], ends[1])
    frame.env = merge(ends)


def _type_checking(test: ast.expr) -> bool | None:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _type_checking(operand)
            return None if inner is None else not inner
    return None


Assume = Callable[[Frame, ast.expr, bool], bool]


def _loop(frame: Frame, node: ast.For | ast.AsyncFor | ast.While) -> None:
    from driftcheck.infer.narrowing import assume

    before = dict(frame.env) if frame.env is not None else {}
    if isinstance(node, (ast.For, ast.AsyncFor)):
        source = evaluate(frame, node.iter)
        if frame.hears is not None:
            frame.hears.used(
                frame, node.iter, "async-iterate" if isinstance(node, ast.AsyncFor) else "iterate", source
            )
    else:
        source = UNKNOWN
    if frame.env is None:
        return
    saved_breaks, frame.breaks = frame.breaks, []
    frame.loop_depth += 1
    # A silent round first, so that the heard one sees what the body carries round.
    if frame.loop_depth <= 2:
        entry = dict(frame.env)
        frame.quiet += 1
        raised = frame.raised
        _round(frame, node, source, assume)
        frame.raised = raised
        frame.quiet -= 1
        frame.breaks = []
        frame.env = merge([entry, frame.env])
    start = dict(frame.env) if frame.env is not None else dict(before)
    leaves = _round(frame, node, source, assume)
    frame.loop_depth -= 1
    breaks, frame.breaks = frame.breaks, saved_breaks
    after = merge([start, frame.env])
    if isinstance(node, ast.While):
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if endless or (leaves is None and frame.env is None):
            after = None  # the test is false in no round that is reached
        elif leaves is not None:
            after = leaves
    frame.env = after
    if node.orelse and frame.env is not None:
        execute(frame, node.orelse)
    frame.env = merge([frame.env, *breaks])


def _round(
    frame: Frame, node: ast.For | ast.AsyncFor | ast.While, source: Value, assume: Assume
) -> Env | None:
    """One round of a loop; gives the state in which its test is false, for ``while``."""
    leaves: Env | None = None
    if isinstance(node, ast.While):
        test = tested(frame, node.test)
        if frame.env is None:
            return None
        leaving = dict(frame.env)
        entering = frame.env
        frame.env = leaving
        leaves = frame.env if assume(frame, node.test, False) else None
        frame.env = entering
        if truth(test) is False or not assume(frame, node.test, True):
            frame.env = leaves
            return leaves
    else:
        bind_target(frame, node.target, element_of(frame.world, source))
    around, frame.continues = frame.continues, []
    execute(frame, node.body)
    frame.env = merge([frame.env, *frame.continues])
    frame.continues = around
    if isinstance(node, ast.While) and leaves is not None:
        leaves = merge([leaves, _where_false(frame, node.test, assume)])
    return leaves


def _where_false(frame: Frame, test: ast.expr, assume: Assume) -> Env | None:
    """The state after a round, narrowed to where the loop's test, asked again, is false."""
    after, raised = frame.env, frame.raised
    if after is None:
        return None
    frame.env = dict(after)
    frame.quiet += 1
    evaluate(frame, test)  # it may bind a name
    found = frame.env if assume(frame, test, False) else None
    frame.quiet -= 1
    frame.env, frame.raised = after, raised
    return found


def _break(frame: Frame, node: ast.stmt) -> None:
    if frame.env is not None:
        frame.breaks.append(frame.env)
    frame.env = None


def _continue(frame: Frame, node: ast.stmt) -> None:
    if frame.env is not None:
        frame.continues.append(frame.env)
    frame.env = None


def _return(frame: Frame, node: ast.Return) -> None:
    value = evaluate(frame, node.value) if node.value is not None else NONE
    if frame.env is not None:
        if frame.hears is not None and node.value is not None:
            frame.hears.used(frame, node.value, "returned", value)
        frame.returns.append(value)
        frame.exits.append(frame.env)
    frame.env = None


def _raise(frame: Frame, node: ast.Raise) -> None:
    made = evaluate(frame, node.exc) if node.exc is not None else UNKNOWN
    name = None
    target = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if target is not None:
        name = (path_of(target) or "").rpartition(".")[2]
    if frame.env is not None:
        frame.raised = Raised(name or "Exception", dict(frame.env), builtins_above(frame, made))
    frame.env = None


def _assert(frame: Frame, node: ast.Assert) -> None:
    from driftcheck.infer.narrowing import assume

    if truth(tested(frame, node.test)) is False:
        frame.raise_("AssertionError")
    elif frame.env is not None and not assume(frame, node.test, True):
        frame.env = None


def _delete(frame: Frame, node: ast.Delete) -> None:
    for target in node.targets:
        path = path_of(target)
        if isinstance(target, ast.Subscript):
            _delete_item(frame, target)
        elif path is not None and frame.env is not None:
            frame.env.pop(path, None)
            forget(frame.env, path)


def _delete_item(frame: Frame, target: ast.Subscript) -> None:
    receiver = evaluate(frame, target.value)
    key = evaluate(frame, target.slice) if not isinstance(target.slice, ast.Slice) else UNKNOWN
    path = path_of(target.value)
    if path is None or frame.env is None or not isinstance(receiver, DictOf):
        return
    if isinstance(key, Const) and isinstance(key.value, str):
        frame.env[path] = without_entry(receiver, key.value)
    else:
        frame.env[path] = DictOf((), False, receiver.key, receiver.value)


def _function(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    from driftcheck.infer.run import define_function

    for default in [*node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]:
        evaluate(frame, default)
    for decorator in node.decorator_list:
        evaluate(frame, decorator)
    value = define_function(frame, node)
    if frame.env is not None:
        bind_name(frame, node.name, value)


def _class(frame: Frame, node: ast.ClassDef) -> None:
    from driftcheck.infer.run import define_class

    for base in node.bases:
        base_value = evaluate(frame, base)
        if frame.hears is not None:
            frame.hears.used(frame, base, "base", base_value)
    for keyword in node.keywords:
        evaluate(frame, keyword.value)
    for decorator in node.decorator_list:
        evaluate(frame, decorator)
    value = define_class(frame, node)
    if frame.env is not None:
        bind_name(frame, node.name, value)


def _match_statement(frame: Frame, node: ast.Match) -> None:
    subject = evaluate(frame, node.subject)
    if frame.env is None:
        return
    before = frame.env
    ends: list[Env | None] = [dict(before)]
    for case in node.cases:
        frame.env = dict(before)
        for inner in nodes_of(case.pattern):
            if isinstance(inner, (ast.MatchAs, ast.MatchStar)) and inner.name:
                frame.env[inner.name] = UNKNOWN
            elif isinstance(inner, (ast.MatchValue,)):
                evaluate(frame, inner.value)
            elif isinstance(inner, ast.MatchClass):
                evaluate(frame, inner.cls)
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.name:
            frame.env[case.pattern.name] = subject
        fits = _fits(frame, subject, case.pattern)
        if case.guard is not None:
            passes = truth(evaluate(frame, case.guard))
            fits = False if passes is False else fits if passes else None
        if fits is False:
            continue
        execute(frame, case.body)
        ends.append(frame.env)
        if fits:
            ends[0] = None
            break
    frame.env = merge(ends)


def _fits(frame: Frame, subject: Value, pattern: ast.pattern) -> bool | None:
    """Whether a ``case`` takes a value; None where that is not known."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _fits(frame, subject, inner)
        case ast.MatchOr(patterns=patterns):
            answers = [_fits(frame, subject, one) for one in patterns]
            return True if True in answers else None if None in answers else False
        case ast.MatchValue(value=value):
            return compared(subject, ast.Eq(), evaluate(frame, value))
        case ast.MatchSingleton(value=constant) if isinstance(subject, Const):
            return subject.value is constant
    return None


_HANDLERS: dict[type, Callable[[Frame, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _ann_assign,
    ast.AugAssign: _aug_assign,
    ast.If: _if,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.While: _loop,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Import: run_import,
    ast.ImportFrom: run_import_from,
    ast.Try: run_try,
    ast.TryStar: run_try,
    ast.With: run_with,
    ast.AsyncWith: run_with,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Match: _match_statement,
}
