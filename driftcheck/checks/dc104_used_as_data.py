"""DC104: what was data, a property or a field, is a method now, and the consumer uses it as data all the same."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from driftcheck.checks.answer import Answer, View
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.callables import has_opaque_decorator
from driftcheck.infer.subclasses import may_be_another
from driftcheck.infer.values import UNKNOWN, FunctionValue, options
from driftcheck.model import Related
from driftcheck.uses import AttributeUse, Use
from driftcheck.uses.collect import DataUse

_DOES = {
    "iterate": "it cannot be iterated",
    "len": "it has no length",
    "slice": "it cannot be subscripted",
    "subscript": "it cannot be subscripted",
    "arithmetic": "it cannot be computed with",
    "ordered": "it cannot be compared",
    "equal": "it is equal to no such value",
    "truth": "it is always true",
}
_SILENT = frozenset({"equal", "truth"})


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, AttributeUse) or not view.uses.as_data:
        return
    function = _method(use, view)
    if function is None or _stands_in(use, view):
        return
    for data in _uses_of(use, function, view):
        if data.how == "truth" and not _was_data(use, view):
            continue
        does = _DOES[data.how]
        direct = data.node is use.node
        yield Answer(
            "DC104",
            use.path,
            use.span,
            function.qualname,
            f"{function.name} is a method in {view.version} and is not called: {does}",
            severity="warning" if data.how in _SILENT else None,
            evidence=(view.evidence(function.module, function.line),),
            related=() if direct else (Related(use.path, data.span.line, does),),
        )
        return


def _method(use: AttributeUse, view: View) -> FunctionDef | None:
    """The provider's method that is read; None where it is something else."""
    methods: set[FunctionDef] = set()
    for _, found in use.answers:
        value = found.value
        if not isinstance(value, FunctionValue) or value.receiver is None:
            return None
        methods.add(value.definition)
    function = methods.pop() if len(methods) == 1 else None
    if function is None or (use.path, function) not in view.uses.as_data:
        return None
    opaque = not view.world.is_provider(function.module) or has_opaque_decorator(view.world, function)
    return None if opaque else function


def _stands_in(use: AttributeUse, view: View) -> bool:
    """Whether a class below has another member of the name, which may stand there instead."""
    return any(may_be_another(view.world, receiver, use.name) for receiver, _ in use.answers)


def _uses_of(use: AttributeUse, function: FunctionDef, view: View) -> Iterator[DataUse]:
    """What is done with the method as with data: where it is read, or by a variable that only this read fills."""
    for data in view.uses.as_data.get((use.path, function), ()):
        if data.caught & {"TypeError"}:
            continue
        if data.node is use.node or (isinstance(data.node, ast.Name) and _is_only_read(use, function, view)):
            yield data


def _is_only_read(use: AttributeUse, function: FunctionDef, view: View) -> bool:
    reads = [
        one
        for one in view.uses.uses
        if isinstance(one, AttributeUse)
        and one.path == use.path
        and any(getattr(found.value, "definition", None) is function for _, found in one.answers)
    ]
    return all(one.span == use.span for one in reads)


def _was_data(use: AttributeUse, view: View) -> bool:
    """Whether known-good gave something else where the method is read: a test for its being there is none."""
    if view.before is None:
        return False
    earlier = [one for one in view.before.uses.by_key.get(use.key, ()) if isinstance(one, AttributeUse)]
    values = [option for one in earlier for _, found in one.answers for option in options(found.value)]
    return bool(values) and not any(value is UNKNOWN or isinstance(value, FunctionValue) for value in values)
