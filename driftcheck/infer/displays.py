"""Values of displays and comprehensions: their elements where these are known."""

from __future__ import annotations

import ast
from dataclasses import replace

from driftcheck.infer.containers import element_of, merged, with_entries
from driftcheck.infer.frame import Frame
from driftcheck.infer.values import (
    UNKNOWN,
    Const,
    Container,
    DictOf,
    TupleOf,
    Value,
    truth,
    union,
)


def _value(frame: Frame, node: ast.expr) -> Value:
    from driftcheck.infer.expressions import evaluate  # which asks this module for displays

    return evaluate(frame, node)


def tuple_of(frame: Frame, node: ast.Tuple) -> Value:
    values = _elements(frame, node.elts)
    return TupleOf(tuple(values)) if values is not None else Container("tuple", UNKNOWN)


def list_of(frame: Frame, node: ast.List) -> Value:
    return _display(frame, "list", node.elts)


def set_of(frame: Frame, node: ast.Set) -> Value:
    return _display(frame, "set", node.elts)


def _display(frame: Frame, kind: str, nodes: list[ast.expr]) -> Value:
    values = _elements(frame, nodes)
    if values is None:
        return Container(kind, UNKNOWN)
    if len(values) > 64:
        return Container(kind, union(values))
    return Container(kind, union(values) if values else UNKNOWN, tuple(values))


def _elements(frame: Frame, nodes: list[ast.expr]) -> list[Value] | None:
    values: list[Value] = []
    known = True
    for node in nodes:
        if isinstance(node, ast.Starred):
            inner = _value(frame, node.value)
            elements = getattr(inner, "elements", None)
            if elements is None:
                known = False
            else:
                values.extend(elements)
        else:
            values.append(_value(frame, node))
    return values if known else None


def dict_of(frame: Frame, node: ast.Dict) -> Value:
    result = DictOf((), True)
    keys: list[Value] = []
    values: list[Value] = []
    written: list[tuple[str, Value, ast.AST]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        entry = _value(frame, value)
        if key is None:
            result = merged(with_entries(result, written, frame.scope.module.path), entry)
            written = []
            continue
        name = _value(frame, key)
        if isinstance(name, Const) and isinstance(name.value, str):
            written.append((name.value, entry, key))
        else:
            result = replace(result, closed=False)
        keys.append(name)
        values.append(entry)
    result = with_entries(result, written, frame.scope.module.path)
    return replace(result, key=union(keys), value=union(values)) if values else result


def comprehension_of(
    frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Value:
    saved = frame.env
    if saved is None:
        return UNKNOWN
    frame.env = dict(saved)
    try:
        known = _unrolled(frame, node) if not isinstance(node, ast.DictComp) else None
        if known is not None:
            return Container(_KINDS[type(node)], union(known) if known else UNKNOWN, tuple(known))
        if not _enter(frame, node.generators):
            return Container(_KINDS.get(type(node), "list"), UNKNOWN)
        if isinstance(node, ast.DictComp):
            return DictOf((), False, _value(frame, node.key), _value(frame, node.value))
        return Container(_KINDS[type(node)], _value(frame, node.elt))
    finally:
        frame.env = saved


_KINDS: dict[type, str] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}


def _unrolled(frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> list[Value] | None:
    """The elements one by one where the iterable's are known and every condition is decided."""
    from driftcheck.infer.statements import bind_target

    if len(node.generators) != 1:
        return None
    generator = node.generators[0]
    frame.quiet += 1
    try:
        source = _value(frame, generator.iter)
        elements = getattr(source, "elements", None)
        if elements is None or len(elements) > 64 or not elements:
            return None
        found: list[Value] = []
        for element in elements:
            bind_target(frame, generator.target, element)
            answers = [truth(_value(frame, test)) for test in generator.ifs]
            if None in answers:
                return None
            if all(answers):
                found.append(_value(frame, node.elt))
    finally:
        frame.quiet -= 1
    if frame.hears is not None and _enter(frame, node.generators):
        _value(frame, node.elt)
    return found


def _enter(frame: Frame, generators: list[ast.comprehension]) -> bool:
    from driftcheck.infer.expressions import tested
    from driftcheck.infer.narrowing import assume
    from driftcheck.infer.statements import bind_target

    for generator in generators:
        source = _value(frame, generator.iter)
        if frame.hears is not None:
            frame.hears.used(
                frame, generator.iter, "async-iterate" if generator.is_async else "iterate", source
            )
        bind_target(frame, generator.target, element_of(frame.world, source))
        for test in generator.ifs:
            if truth(tested(frame, test)) is False or not assume(frame, test, True):
                return False
    return True
