"""What the three checks of a call's arguments share: the call bound to every signature it may meet."""

from __future__ import annotations

from driftcheck.checks.answer import View
from driftcheck.checks.contradicted import passed_by_provider
from driftcheck.checks.declared import by_declaration, declared_receiver
from driftcheck.checks.standing_in import accepted_by_own
from driftcheck.infer.callables import signature_of
from driftcheck.infer.signatures import Problem, Signature, bind
from driftcheck.infer.values import Value, options
from driftcheck.model import Evidence
from driftcheck.model.finding import Confidence
from driftcheck.uses import CallUse


def problems(use: CallUse, view: View) -> list[tuple[Signature, Problem]]:
    """Why the call raises TypeError whichever of its possible callees it meets; empty where one may accept it."""
    if use.caught & {"TypeError"}:
        return []
    found: list[list[tuple[Signature, Problem]]] = []
    for option in options(use.callee):
        signature = signature_of(view.world, option)
        if signature is None:
            return []
        bad = bind(signature, use.arguments)
        if not bad or accepted_by_own(view, option, use):
            return []
        if any(p.kind == "unknown-keyword" and passed_by_provider(view, option, p.names[0]) for p in bad):
            return []  # the source at hand is not what runs
        found.append([(signature, problem) for problem in bad])
    return found[0] if found else []


def home(view: View, signature: Signature) -> tuple[Evidence, ...]:
    """The line of the provider that declares the signature; nothing for what the consumer itself declares."""
    provider = view.world.provider
    module = provider.module(provider.module_name(signature.path)) if signature.path else None
    if module is None or module.path != signature.path:
        return ()
    return (view.evidence(module, signature.line),)


def callee_name(value: Value, signature: Signature) -> str:
    """How the message names what is called."""
    name = signature.symbol
    for suffix in (".__init__",):
        name = name.removesuffix(suffix)
    return (
        ".".join(name.split(".")[-2:]) if name.split(".")[-2:][0][:1].isupper() else name.rpartition(".")[2]
    )


def sureness(use: CallUse, view: View) -> tuple[Confidence, str]:
    """How sure it is that the call meets that signature, and what is assumed as the end of a message."""
    cls = declared_receiver(use, view)
    return ("certain", "") if cls is None else by_declaration(use, view, cls)
