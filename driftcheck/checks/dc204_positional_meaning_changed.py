"""DC204: an argument passed by position reaches a parameter that means something else than on known-good."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.binding import callee_name, home
from driftcheck.index.functions import Parameter
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.callables import signature_of
from driftcheck.infer.likeness import name_likeness, words
from driftcheck.infer.signatures import Arguments, Signature, bind
from driftcheck.infer.values import Const, options
from driftcheck.model.finding import Confidence
from driftcheck.uses import CallUse, Use


def evaluate_pair(use: Use, earlier: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse) or not isinstance(earlier, CallUse):
        return
    if not use.arguments.positional or use.arguments.open_positional or earlier.arguments.open_positional:
        return
    new, old = _only_signature(use, view), _only_signature(earlier, before)
    if new is None or old is None or bind(new, use.arguments) or bind(old, earlier.arguments):
        return
    for number, argument in enumerate(use.arguments.positional):
        change = _change(number, old, new, use.arguments)
        if change is None:
            continue
        gone, now, confidence = change
        module = view.world.consumer.module(view.world.consumer.module_name(use.path))
        if module is None:
            return
        position = f"argument {number + 1} of {callee_name(use.callee, new)}()"
        taken = "" if confidence == "certain" else f", taking {now.name} to be no new name for {gone.name}"
        yield Answer(
            "DC204",
            use.path,
            module.source.span(argument.node),
            f"{new.symbol}.{gone.name}",
            f"{position} is {now.name} in {view.version}; it was {gone.name} in {before.version}{taken}",
            subject=str(number),
            confidence=confidence,
            evidence=home(view, new),
        )
        # The arguments after an inserted one are all off: one finding says so.
        return


def _only_signature(use: CallUse, view: View) -> Signature | None:
    """How the callee is declared; None where that is not known or there are several."""
    found = {signature_of(view.world, option) for option in options(use.callee)}
    return found.pop() if len(found) == 1 else None


def _change(
    number: int, old: Signature, new: Signature, arguments: Arguments
) -> tuple[Parameter, Parameter, Confidence] | None:
    """The parameters that a position filled and fills, if their meanings differ, and how sure that is."""
    slots, now_slots = old.positional(), new.positional()
    if number >= len(slots) or number >= len(now_slots):
        return None
    was, now = slots[number], now_slots[number]
    if _plain(was.name) == _plain(now.name):
        return None
    moved = _position(was.name, new)
    came = _position(now.name, old)
    if moved is None and came is None:
        return (was, now, "likely") if _differ(was, now) else None
    if moved is None and _is_rename(was, now):
        return None
    if _same_values(number, moved, arguments):
        return None
    return was, now, "certain"


def _plain(name: str) -> str:
    return name.strip("_")


def _position(name: str, signature: Signature) -> int | None:
    """Where a parameter stands in another signature, underscores passed over; None where it does not."""
    for number, parameter in enumerate(signature.parameters):
        if _plain(parameter.name) == _plain(name) and parameter.kind in ("positional", "ordinary", "keyword"):
            return number
    return None


def _is_rename(was: Parameter, now: Parameter) -> bool:
    return name_likeness(was.name, now.name) >= 0.75


def _differ(was: Parameter, now: Parameter) -> bool:
    """Whether two parameters, neither known to the other signature, mean different things."""
    if was.annotation is None or now.annotation is None:
        return False
    if name_likeness(was.name, now.name) >= 0.5 or words(was.name) & words(now.name):
        return False
    first, second = _types(was.annotation), _types(now.annotation)
    return bool(first and second) and not first & second


_LOOSE = frozenset({"Any", "object", "Optional", "Union", "None", "T", "typing"})


def _types(annotation: ast.expr) -> set[str]:
    """The types that an annotation names; empty where it names nothing that tells types apart."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return set()
    names = {n.id for n in nodes_of(annotation) if isinstance(n, ast.Name)}
    names |= {n.attr for n in nodes_of(annotation) if isinstance(n, ast.Attribute)}
    if names & {"Any", "object"} or any(len(n) <= 2 and n.isupper() for n in names):
        return set()
    return names - _LOOSE


def _same_values(number: int, moved: int | None, arguments: Arguments) -> bool:
    """Whether both positions that were swapped get the same constant, so that nothing changes."""
    if moved is None or moved >= len(arguments.positional):
        return False
    first, second = arguments.positional[number].value, arguments.positional[moved].value
    return isinstance(first, Const) and first == second
