"""Which parameters a function of the consumer must take to stand where one of the provider's stood."""

from __future__ import annotations

import ast

from driftcheck.fixes.literals import spelled
from driftcheck.fixes.operations import AddArgument, CallChange, Operation, ParameterWanted
from driftcheck.index.functions import FunctionDef, Parameter


def wanted_parameters(subject: str, ours: FunctionDef, theirs: FunctionDef) -> list[ParameterWanted]:
    """The parameters of ``theirs`` that ours lacks and the provider's calls need, in their order.

    ``subject`` says what the calls do, as the findings of overrides and replacements spell it
    (``unknown-keyword:a,b;too-many-positional:``). Empty where adding parameters does not help.
    """
    asked: list[str] = []
    for part in subject.split(";"):
        kind, _, names = part.partition(":")
        if kind == "unknown-keyword":
            asked += names.split(",")
        elif kind == "too-many-positional":
            asked += [p.name for p in _positional(theirs)[len(_positional(ours)) :]]
        else:
            return []
    have = {p.name for p in ours.parameters}
    chosen = [p for p in theirs.parameters if p.name in asked and p.name not in have]
    if set(asked) - {p.name for p in chosen}:
        # What the original takes through its own **kwargs, ours takes so as well.
        rest = next((p for p in theirs.parameters if p.kind == "var_keyword"), None)
        if rest is None or any(p.kind == "var_keyword" for p in ours.parameters):
            return []
        chosen.append(rest)
    return [_as_wanted(p) for p in chosen]


def _positional(function: FunctionDef) -> list[Parameter]:
    return [p for p in function.parameters if p.kind in ("positional", "ordinary")]


def _as_wanted(parameter: Parameter) -> ParameterWanted:
    # Required only of those who call the original: whoever calls ours as it was must still be able to.
    default = None if parameter.kind == "var_keyword" else "None"
    if isinstance(parameter.default, ast.Constant):
        default = spelled(parameter.default)
    return ParameterWanted(parameter.name, parameter.kind, default)


def passed_on(calls: list[ast.Call], wanted: list[ParameterWanted]) -> list[Operation]:
    """The new parameters handed on by calls of the original."""
    found: list[Operation] = []
    for call in calls:
        given = {keyword.arg for keyword in call.keywords}
        added = tuple(
            AddArgument(p.name, p.name)
            for p in wanted
            if p.kind in ("ordinary", "keyword") and not given & {p.name, None}
        )
        if added:
            found.append(CallChange(call, added))
    return found
