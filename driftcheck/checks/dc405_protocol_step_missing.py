"""DC405: a method of the provider is called again without the other one that must come in between."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.protocols import Phase, deciding_settings, phases_of
from driftcheck.infer.repeats import Repeat, names_in, repeat_of
from driftcheck.infer.values import FunctionValue, Instance, options
from driftcheck.model import Related
from driftcheck.model.finding import Confidence
from driftcheck.uses import CallUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse) or not _may_have_phases(use):
        return
    module = view.world.consumer.module(view.world.consumer.module_name(use.path))
    repeat = repeat_of(view.world, module, use.node) if module and isinstance(use.node, ast.Call) else None
    phases = phases_of(view.world, use.callee) if repeat is not None else []
    if repeat is None or not phases:
        return
    mentioned = names_in(repeat.region)
    for phase in phases:
        if mentioned & phase.names or _is_caught(use, phase):
            continue
        if repeat.by_callers and _named_elsewhere(view, phase):
            continue
        yield _answer(use, view, phase, repeat)
        return


def _may_have_phases(use: CallUse) -> bool:
    return all(isinstance(o, FunctionValue) and isinstance(o.receiver, Instance) for o in options(use.callee))


def _is_caught(use: CallUse, phase: Phase) -> bool:
    return bool(use.caught & {phase.protocol.guard.exception, "Exception", "BaseException"})


def _named_elsewhere(view: View, phase: Phase) -> bool:
    """Whether some other file of the consumer mentions the second phase, whatever it does with it."""
    return any(view.world.consumer.files_mentioning(name) for name in phase.names)


def _answer(use: CallUse, view: View, phase: Phase, repeat: Repeat) -> Answer:
    protocol = phase.protocol
    first = phase.steps[0]
    second = _second(phase)
    guard = protocol.guard
    called = f"{_owner(first)}.{first.name}()"
    kept = protocol.first
    through = f" through {_owner(kept)}.{kept.name}()" if kept is not first else ""
    gives = " and returns None" if protocol.returns_none else ""
    raises = f'{guard.exception}("{guard.text}")' if guard.text else guard.exception
    place = f"{guard.function.module.path}:{guard.line}"
    message = (
        f"{called} sets {protocol.store.attribute}{through}{gives} in {view.version}; "
        f"called again before {second}() it raises {raises} ({place})"
    )
    message += _refuted(view, phase, second)
    assumed, confidence = _assumed(phase, repeat)
    if assumed:
        message += "; assumes that " + " and that ".join(assumed)
    return Answer(
        "DC405",
        use.path,
        use.span,
        first.qualname,
        message,
        subject=second,
        confidence=confidence,
        evidence=(
            view.evidence(protocol.store.function.module, protocol.store.line),
            view.evidence(guard.function.module, guard.line),
            *(view.evidence(one.module, one.line) for one in protocol.seconds[:1]),
        ),
        related=(
            Related(
                use.path, repeat.line, f"the second round comes back to {first.name}() and strikes there"
            ),
        ),
    )


def _second(phase: Phase) -> str:
    """How the consumer calls the second phase: the name that the called object has for it."""
    for one in phase.protocol.seconds:
        if not one.name.startswith("_"):
            return one.name
    return phase.protocol.seconds[0].name


def _refuted(view: View, phase: Phase, second: str) -> str:
    """What does not help, as far as the analysis can tell."""
    protocol = phase.protocol
    if not protocol.returns_none:
        return ""
    settings = deciding_settings(view.world, protocol)
    name = protocol.first.name
    if settings:
        named = ", ".join(f"{setting}=False" for setting in settings[:2])
        past = f"past line {protocol.store.line} it returns None alone"
        return f". {named} does not make {name}() return the output: {past}"
    return ""


def _assumed(phase: Phase, repeat: Repeat) -> tuple[list[str], Confidence]:
    protocol = phase.protocol
    assumed: list[str] = []
    if not protocol.always:
        assumed.append(f"{protocol.first.name}() gets as far as line {protocol.store.line}")
    if repeat.by_callers:
        assumed.append("it is called more than once")
    if phase.choice != "one":
        assumed.append(f"the object behind it is a {protocol.cls.qualname}")
    if not assumed:
        return assumed, "certain"
    hidden = phase.choice == "off" or (len(assumed) > 1 and repeat.by_callers)
    return assumed, "possible" if hidden else "likely"


def _owner(function: FunctionDef) -> str:
    return function.owner.name if function.owner is not None else function.module.name
