"""Parameters that a call's callee has under another name than on known-good."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from driftcheck.checks.answer import View
from driftcheck.index.functions import Parameter
from driftcheck.infer.callables import signature_of
from driftcheck.infer.likeness import name_likeness, words
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import options
from driftcheck.uses import CallUse

ENOUGH = 2.0
"""How much must speak for a pair of parameters: two full reasons of name, place, annotation and default."""
_OPPOSITES = (
    {"disable", "enable"},
    {"no", "use"},
    {"skip", "run"},
    {"exclude", "include"},
    {"without", "with"},
)


@dataclass(frozen=True)
class RenamedParameter:
    """The parameter's new name, what speaks for it, and whether it says the opposite of the old one."""

    new: Parameter
    reason: str
    opposite: bool


def known_good_signature(use: CallUse, view: View) -> Signature | None:
    """How the same call's callee was declared on known-good; None where that is not known or not one."""
    if view.before is None:
        return None
    found: dict[tuple[str, int, str], Signature] = {}
    for earlier in view.before.uses.by_key.get(use.key, ()):
        if isinstance(earlier, CallUse):
            for option in options(earlier.callee):
                signature = signature_of(view.before.world, option)
                if signature is None:
                    return None
                found[(signature.path, signature.line, signature.symbol)] = signature
    return next(iter(found.values())) if len(found) == 1 else None


def renamed_parameters(use: CallUse, signature: Signature, view: View) -> dict[str, RenamedParameter]:
    """The call's keywords that known-good took and that have exactly one new parameter in their place."""
    old = known_good_signature(use, view)
    if old is None:
        return {}
    gone = [p for p in _named(old) if signature.parameter(p.name) is None and p.name not in signature.accepts]
    taken = {*old.accepts, *(p.name for p in _named(old)), *use.arguments.keywords}
    new = [p for p in _named(signature) if p.name not in taken]
    alone = len(gone) == len(new) == 1
    scores = {(a.name, b.name): _score(a, b, old, signature, alone) for a in gone for b in new}
    found: dict[str, RenamedParameter] = {}
    for a in gone:
        if a.name not in use.arguments.keywords:
            continue
        fitting = [b for b in new if scores[a.name, b.name][0] >= ENOUGH]
        if len(fitting) != 1:
            continue
        b = fitting[0]
        rivals = [c for c in gone if c is not a and scores[c.name, b.name][0] >= scores[a.name, b.name][0]]
        if not rivals:
            found[a.name] = RenamedParameter(b, scores[a.name, b.name][1], _is_opposite(a.name, b.name))
    return found


def _named(signature: Signature) -> list[Parameter]:
    return [p for p in signature.parameters if p.kind in ("ordinary", "keyword")]


def _score(
    old: Parameter, new: Parameter, before: Signature, after: Signature, alone: bool
) -> tuple[float, str]:
    """What speaks for two parameters being one: the sum, and the reasons in words.

    Names that have nothing in common are only paired where they are ``alone``: one went, one came.
    """
    reasons: list[str] = []
    score = 0.0
    likeness = name_likeness(old.name, new.name)
    if likeness >= 0.6 or words(old.name) & words(new.name):
        score += 1.0 if likeness >= 0.6 else 0.7
        reasons.append("a like name")
    elif not alone:
        return 0.0, ""
    if _place(old, before, after) == _place(new, after, before):
        score += 1.0
        reasons.append("the same place")
    if old.annotation is not None and new.annotation is not None:
        same = ast.dump(old.annotation) == ast.dump(new.annotation)
        score += 0.7 if same else -0.4
        if same:
            reasons.append("the same type")
    if old.default is not None and new.default is not None:
        same = ast.dump(old.default) == ast.dump(new.default)
        score += 0.4 if same else -0.1
        if same:
            reasons.append("the same default")
    elif old.required and new.required:
        score += 0.3
    return score, " and ".join(reasons[:2] if len(reasons) < 3 else [", ".join(reasons[:-1]), reasons[-1]])


def _place(parameter: Parameter, signature: Signature, other: Signature) -> tuple[str, str] | None:
    """The nearest parameters on both sides that the other signature has too."""
    names = [p.name for p in signature.parameters]
    known = {p.name for p in other.parameters}
    at = names.index(parameter.name)
    before = next((n for n in reversed(names[:at]) if n in known), "")
    after = next((n for n in names[at + 1 :] if n in known), "")
    return before, after


def _is_opposite(old: str, new: str) -> bool:
    first, second = words(old), words(new)
    changed = (first - second, second - first)
    return any(changed[0] & pair and changed[1] & pair for pair in _OPPOSITES) or (
        first - second <= {"no", "not", "disable"} and not second - first and first != second
    )
