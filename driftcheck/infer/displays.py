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

MAX_ELEMENTS = 64
"""How many elements of a display are kept one by one."""
MAX_CONSTANTS = 4_000
"""The same where all are constants, which cost little: tables of names that are looked up in."""
MAX_UNROLLED = 512
"""Over how many constants a comprehension is run."""


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
    if len(values) > (MAX_CONSTANTS if all(isinstance(v, Const) for v in values) else MAX_ELEMENTS):
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
        if isinstance(node, ast.DictComp):
            return _dict_comprehension(frame, node)
        known = _unrolled(frame, node.generators, [node.elt])
        if known is not None:
            values = [value for (value,) in known]
            return Container(_KINDS[type(node)], union(values) if values else UNKNOWN, tuple(values))
        if not _enter(frame, node.generators):
            return Container(_KINDS[type(node)], UNKNOWN)
        return Container(_KINDS[type(node)], _value(frame, node.elt))
    finally:
        frame.env = saved


_KINDS: dict[type, str] = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    """Its entries where they are known one by one and every key is a string; else what a key and a value are."""
    known = _unrolled(frame, node.generators, [node.key, node.value])
    if known is None:
        if not _enter(frame, node.generators):
            return DictOf((), False)
        return DictOf((), False, _value(frame, node.key), _value(frame, node.value))
    keys, values = [key for key, _ in known], [value for _, value in known]
    entries = {
        key.value: value for key, value in known if isinstance(key, Const) and isinstance(key.value, str)
    }
    closed = all(isinstance(key, Const) and isinstance(key.value, str) for key in keys)
    if not known:
        return DictOf((), True)
    return DictOf(tuple(entries.items()) if closed else (), closed, union(keys), union(values))


def _unrolled(
    frame: Frame, generators: list[ast.comprehension], wanted: list[ast.expr]
) -> list[list[Value]] | None:
    """What is made in each round, where the iterables' elements are known and every condition is decided."""
    frame.quiet += 1
    try:
        found = _rounds(frame, generators, wanted)
    finally:
        frame.quiet -= 1
    if found is not None and frame.hears is not None and _enter(frame, generators):
        for node in wanted:
            _value(frame, node)
    return found


def _rounds(
    frame: Frame, generators: list[ast.comprehension], wanted: list[ast.expr]
) -> list[list[Value]] | None:
    from driftcheck.infer.statements import bind_target

    if not generators:
        return [[_value(frame, node) for node in wanted]]
    generator, *inner = generators
    elements = getattr(_value(frame, generator.iter), "elements", None)
    if not elements or len(elements) > _most(elements):
        return None
    found: list[list[Value]] = []
    for element in elements:
        bind_target(frame, generator.target, element)
        answers = [truth(_value(frame, test)) for test in generator.ifs]
        if None in answers:
            return None
        made = _rounds(frame, inner, wanted) if all(answers) else []
        if made is None or len(found) > MAX_CONSTANTS:
            return None
        found += made
    return found


def _most(elements: tuple[Value, ...]) -> int:
    return MAX_UNROLLED if all(isinstance(v, (Const, TupleOf)) for v in elements) else MAX_ELEMENTS


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
