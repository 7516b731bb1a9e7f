"""How sure a break is where a declaration alone says what the object is.

What known-good's class had is what is meant. What it never had speaks against the declaration rather than
for a drift; without a known-good version that cannot be told.
"""

from __future__ import annotations

import ast

from driftcheck.checks.answer import View
from driftcheck.index.classes import ClassDef
from driftcheck.index.places import function_around
from driftcheck.infer.callables import signature_of
from driftcheck.infer.passed import gets_another
from driftcheck.infer.signatures import bind
from driftcheck.infer.values import ClassValue, FunctionValue, Instance, options
from driftcheck.model.finding import Confidence
from driftcheck.uses import AttributeUse, CallUse, Use


def by_declaration(use: Use, view: View, cls: ClassDef) -> tuple[Confidence, str]:
    """The confidence, and the assumption as the end of a message."""
    if view.before is None:
        if _gets_another(use, view, cls):
            return (
                "possible",
                f", though calls pass something else than the {cls.name} that it is declared to be",
            )
        return "likely", f", if that is the {cls.name} that it is declared to be"
    earlier = view.before.uses.by_key.get(use.key, ())
    never = bool(earlier) and all(_breaks(one, view.before) for one in earlier)
    return ("possible" if never else "certain"), ""


def _gets_another(use: Use, view: View, cls: ClassDef) -> bool:
    """Whether the object is a parameter for which the consumer itself passes objects of other classes."""
    base = use.node
    if not isinstance(base, ast.Attribute) or not isinstance(base.value, ast.Name):
        return False
    module = view.world.consumer.module(view.world.consumer.module_name(use.path))
    if module is None:
        return False
    function = function_around(module, base.lineno, base.col_offset)
    return function is not None and gets_another(view.world, function, base.value.id, cls)


def _breaks(use: Use, view: View) -> bool:
    match use:
        case AttributeUse(answers=answers):
            return all(found.status == "missing" for _, found in answers)
        case CallUse(callee=callee, arguments=arguments):
            signatures = [signature_of(view.world, option) for option in options(callee)]
            return all(signature is not None and bool(bind(signature, arguments)) for signature in signatures)
    return False


def declared_receiver(use: CallUse, view: View) -> ClassDef | None:
    """The provider's class that a declaration alone says the called method's object is of; None for others."""
    for option in options(use.callee):
        match option:
            case FunctionValue(receiver=Instance(cls=ClassValue(definition=cls), exact=False)):
                if view.world.is_provider(cls.module):
                    return cls
    return None
