"""Whether the consumer does what a contract on a default asks about, and where that strikes."""

from __future__ import annotations

from driftcheck.checks.answer import View
from driftcheck.infer.callables import signature_of
from driftcheck.infer.needs import names_of, passes
from driftcheck.infer.values import ClassValue, Instance, options
from driftcheck.model import Related
from driftcheck.rulesdb.contracts import Default, Need
from driftcheck.uses import AttributeUse, CallUse
from driftcheck.uses.use import StoreUse


def met(contract: Default, view: View) -> bool:
    """Whether every need of a contract is met by the uses of one version."""
    return all(_met(need, view) for need in contract.needs)


def _met(need: Need, view: View) -> bool:
    if need.argument:
        return _argument(need, view)
    done = any(_does(need, use, view) for use in view.uses.uses)
    return done is need.present


def _argument(need: Need, view: View) -> bool:
    """Whether some call passes the argument (``present``), or some call leaves it out."""
    callee, _, name = need.argument.rpartition(".")
    for use in view.uses.uses:
        if isinstance(use, CallUse) and callee in names_of(view.world, use.callee):
            signature = signature_of(view.world, options(use.callee)[0])
            positional = [p.name for p in signature.positional()] if signature is not None else []
            if passes(use.arguments, positional, name) is need.present:
                return True
    return False


def _does(need: Need, use: object, view: View) -> bool:
    if need.call:
        return isinstance(use, CallUse) and need.call in names_of(view.world, use.callee)
    owner, _, name = need.attribute.rpartition(".")
    if not isinstance(use, (AttributeUse, StoreUse)) or use.name != name:
        return False
    for option in options(use.receiver):
        cls = option.cls if isinstance(option, Instance) else option
        if isinstance(cls, ClassValue) and owner in names_of(view.world, cls):
            return True
    return False


def strikes(contract: Default, view: View) -> tuple[Related, ...]:
    """The consumer's calls of what a contract says the failure comes out of, in the order of the file."""
    found = [
        Related(use.path, use.span.line, f"{'.'.join(symbol.split('.')[-2:])}: here it strikes")
        for use in view.uses.uses
        if isinstance(use, CallUse)
        for symbol in contract.at
        if symbol in names_of(view.world, use.callee)
    ]
    return tuple(dict.fromkeys(sorted(found, key=lambda r: (r.path, r.line))))
