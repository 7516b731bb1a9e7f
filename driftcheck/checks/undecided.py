"""Whether a version could say anything at all of a use."""

from __future__ import annotations

from driftcheck.checks.answer import View
from driftcheck.infer.callables import signature_of
from driftcheck.infer.enums import members
from driftcheck.infer.values import UNKNOWN, ClassValue, Value, options
from driftcheck.uses import AttributeUse, CallUse, ImportUse, Use
from driftcheck.uses.results import ResultUse


def is_undecided(use: Use, view: View) -> bool:
    """Whether what the use needs was not known on the view's version, neither there nor missing."""
    match use:
        case ImportUse(value=value):
            return value is UNKNOWN
        case AttributeUse(answers=answers):
            return all(found.status == "unknown" for _, found in answers)
        case CallUse(callee=callee):
            return all(_is_open(option, view) for option in options(callee))
        case ResultUse(value=value):
            return value is UNKNOWN
    return False


def _is_open(callee: Value, view: View) -> bool:
    """Whether it is not known what a call of the value takes; an enumeration takes its members' values."""
    if isinstance(callee, ClassValue) and members(view.world, callee.definition) is not None:
        return False
    return signature_of(view.world, callee) is None
