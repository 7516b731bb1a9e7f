"""DC102: a module of the provider exists and does not offer the name taken from it."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View, taken_for_granted
from driftcheck.checks.none_calls import called_none
from driftcheck.infer.attributes import Lookup
from driftcheck.infer.moves import moved_name
from driftcheck.infer.values import Missing, ModuleValue, options
from driftcheck.uses import AttributeUse, ImportUse, StoreUse, Use
from driftcheck.uses.none_calls import NoneCallUse


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if isinstance(use, NoneCallUse):
        yield from called_none(use, view, "DC102")
    elif isinstance(use, ImportUse) and use.name is not None and isinstance(use.value, Missing):
        if not use.caught & {"ImportError"} and not _is_module(use):
            yield from _answer(use, view, use.module, use.name)
    elif isinstance(use, AttributeUse) and not use.caught & {"AttributeError"}:
        answers = [(value, found) for value, found in use.answers]
        if answers and all(_missing_in_module(value, found) for value, found in answers):
            module = answers[0][0]
            assert isinstance(module, ModuleValue)
            if f"{module.name}.{use.name}" in view.uses.missing_modules:
                return
            yield from _answer(use, view, module.name, use.name)


def _is_module(use: ImportUse) -> bool:
    assert isinstance(use.value, Missing)
    missing = use.value.symbol
    return missing == use.module or use.module.startswith(missing + ".")


def _missing_in_module(value: object, found: Lookup) -> bool:
    return isinstance(value, ModuleValue) and found.status == "missing"


def _may_be_put_there(use: Use, view: View, module: str, name: str) -> bool:
    """Whether the consumer may have put the name on the module when the place is reached.

    It has not where a file imports the name as it is loaded and only further down puts something there.
    """
    if (module, name) not in view.uses.injected:
        return False
    stores = [
        store
        for store in view.uses.uses
        if isinstance(store, StoreUse)
        and store.name == name
        and ModuleValue(module) in options(store.receiver)
    ]
    if not stores or not isinstance(use, ImportUse) or use.place[2] > 0:
        return True
    return any(store.path != use.path or store.span.line <= use.span.line for store in stores)


def _answer(use: Use, view: View, module: str, name: str) -> Iterable[Answer]:
    if name in view.uses.loosely_set or _may_be_put_there(use, view, module, name):
        return
    moved = moved_name(view.world, module, name)
    where = f"; {moved.phrase}" if moved else ""
    granted = taken_for_granted(use)
    definition = view.world.module(module)
    evidence = [view.evidence(definition, 1)] if definition is not None and moved is None else []
    if moved:
        evidence.append(view.evidence(moved.home, moved.line))
    yield Answer(
        "DC102",
        use.path,
        use.span,
        f"{module}.{name}",
        f"{module} has no name {name} in {view.version}{where}{granted}",
        confidence="likely" if granted else "certain",
        evidence=tuple(evidence),
    )
