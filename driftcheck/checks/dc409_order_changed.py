"""DC409: results are taken apart in the order of handing in, and the provider has another."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.needs import names_of
from driftcheck.infer.order import handed_in, taken_apart
from driftcheck.infer.protocols import Choice, classes_behind
from driftcheck.infer.repeats import Function, enclosing_function, parents_of
from driftcheck.model import Related, Span
from driftcheck.model.finding import Confidence
from driftcheck.rulesdb.contracts import Order
from driftcheck.uses import CallUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse):
        return
    for contract in view.world.contracts.of(Order):
        if contract.used in names_of(view.world, use.callee):
            yield from _answers(use, view, contract)


def _answers(use: CallUse, view: View, contract: Order) -> Iterable[Answer]:
    choice = _choice(use, view, contract)
    module = view.world.consumer.module(view.world.consumer.module_name(use.path))
    if choice is None or module is None:
        return
    function = enclosing_function(parents_of(view.world, module), use.node)
    if function is None:
        return
    for given in _calls_in(view, use.path, function):
        if contract.given not in names_of(view.world, given.callee) or not isinstance(given.node, ast.Call):
            continue
        order = handed_in(function, given.node)
        theirs = {
            u.node
            for u in _calls_in(view, use.path, function)
            if isinstance(u.node, ast.Call) and u is not given
        }
        for node in taken_apart(function, order, theirs, given.span.line):
            yield _answer(use, given, view, contract, choice, module.source.span(node))
            return


def _choice(use: CallUse, view: View, contract: Order) -> Choice | None:
    """How the class that reorders is chosen; None where the call does not come by it."""
    if not contract.variant:
        return "one"
    return classes_behind(view.world, use.callee).get(contract.variant)


def _calls_in(view: View, path: str, function: Function) -> list[CallUse]:
    end = function.end_lineno or function.lineno
    return [
        u
        for u in view.uses.uses
        if isinstance(u, CallUse) and u.path == path and function.lineno <= u.span.line <= end
    ]


def _answer(use: CallUse, given: CallUse, view: View, contract: Order, choice: Choice, span: Span) -> Answer:
    added, ran = contract.given.rpartition(".")[2], contract.used.rpartition(".")[2]
    confidence: Confidence = "possible" if choice == "off" else "likely"
    under = f" with {contract.variant}" if contract.variant else ""
    assumed = f"{ran}() runs it" if contract.variant else "there is more than one"
    module, _, name = contract.variant.rpartition(".")
    home = view.world.module(module) if contract.variant else None
    bindings = home.bindings.get(name, []) if home is not None else []
    evidence = (
        (view.evidence(home, home.source.line_at(bindings[-1].item.start)),)
        if home is not None and bindings
        else ()
    )
    return Answer(
        "DC409",
        use.path,
        span,
        contract.used,
        f"this takes the results apart in the order in which {added}() was called, but{under} "
        f"{view.version} orders them by {contract.by}: "
        f"they are given to the wrong ones without an error; assumes that {assumed}",
        severity="warning",
        confidence=confidence,
        evidence=evidence,
        related=(
            Related(given.path, given.span.line, f"{added}() hands them in here"),
            Related(use.path, use.span.line, f"{ran}() puts them in its own order"),
        ),
        contract=contract.id,
    )
