"""DC406: a default that the consumer leaves in force changed, and something depends on it."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.default_links import Link, link_of
from driftcheck.checks.needs import met, strikes
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.defaults import Default, constant_key, constant_of, omitted_defaults
from driftcheck.infer.values import NONE, TRUE, Const, Value, options
from driftcheck.rulesdb import contracts
from driftcheck.uses import CallUse, Use


def evaluate_pair(use: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse) or not isinstance(known_good, CallUse):
        return
    callee, earlier = _only(use.callee), _only(known_good.callee)
    if callee is None or earlier is None:
        return
    now = omitted_defaults(view.world, callee, use.arguments)
    then = omitted_defaults(before.world, earlier, known_good.arguments)
    for name, default in now.items():
        if name in then and default.differs(then[name]) and name not in view.uses.stored_names:
            yield _answer(use, view, before, default, then[name])


def _only(callee: Value) -> Value | None:
    found = options(callee)
    return found[0] if len(found) == 1 else None


def _answer(use: CallUse, view: View, before: View, default: Default, earlier: Default) -> Answer:
    change = (
        f"{_shown(default)} defaults to {default.text} in {view.version} ({earlier.text} in {before.version})"
    )
    evidence = (view.evidence(default.module, default.line),)
    for contract in view.world.contracts.of(contracts.Default):
        if contract.field == default.symbol and _strikes(contract, default) and met(contract, view):
            return Answer(
                "DC406",
                use.path,
                use.span,
                default.symbol,
                f"{change}; {contract.failure}; pass {default.name}={_kept(default, earlier)}",
                subject=default.name,
                severity="warning" if contract.silent else "error",
                confidence="likely",
                evidence=evidence,
                related=strikes(contract, view),
                contract=contract.id,
            )
    link = _link(use, view, default, earlier)
    if link is not None:
        return _linked(use, view, default, earlier, change, link)
    message = f"{change}, and it is not passed here; nothing that depends on it was found"
    return Answer(
        "DC406", use.path, use.span, default.symbol, message, default.name, "note", "possible", evidence
    )


def _link(use: CallUse, view: View, default: Default, earlier: Default) -> Link | None:
    """What source shows to depend on a default, where both are plain constants."""
    now, then = constant_of(default), constant_of(earlier)
    if now is None or then is None:
        return None
    return link_of(use, view, default, now[0], then[0])


def _linked(use: CallUse, view: View, default: Default, earlier: Default, change: str, link: Link) -> Answer:
    strike = link.strike
    raises = f'{strike.exception}("{strike.text}")' if strike.text else strike.exception
    missing = f", which is built without {link.missing} here" if link.missing else ""
    place = f"{strike.function.module.path}:{strike.line}"
    return Answer(
        "DC406",
        use.path,
        use.span,
        default.symbol,
        f"{change}; {_short(strike.start)}() then raises {raises} ({place}){missing}; pass "
        f"{default.name}={_kept(default, earlier)}; assumes that the calls work on this object",
        subject=default.name,
        confidence="likely",
        evidence=(
            view.evidence(default.module, default.line),
            view.evidence(strike.function.module, strike.line),
        ),
        related=link.related,
    )


def _short(function: FunctionDef) -> str:
    return ".".join(function.qualname.split(".")[-2:]) if function.owner is not None else function.name


def _strikes(contract: contracts.Default, default: Default) -> bool:
    return default.value == constant_key(Const(None if contract.absent else contract.value))


def _kept(default: Default, earlier: Default) -> str:
    """The argument that brings the old behaviour back: an unset flag was off."""
    was_unset = earlier.value == constant_key(NONE)
    return "False" if was_unset and default.value == constant_key(TRUE) else earlier.text


def _shown(default: Default) -> str:
    return ".".join(default.symbol.split(".")[-2:])
