"""DC101: an imported module of the provider is nowhere on the version asked about."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View, taken_for_granted
from driftcheck.checks.none_calls import called_none
from driftcheck.infer.moves import moved_module
from driftcheck.infer.values import Missing
from driftcheck.uses import ImportUse, Use
from driftcheck.uses.none_calls import NoneCallUse


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if isinstance(use, NoneCallUse):
        yield from called_none(use, view, "DC101")
    if not isinstance(use, ImportUse) or not isinstance(use.value, Missing):
        return
    missing = use.value.symbol
    if not (missing == use.module or use.module.startswith(missing + ".")):
        return
    if use.caught & {"ImportError", "ModuleNotFoundError"}:
        return
    moved = moved_module(view.world, use.module, use.name)
    where = f"; {moved.phrase}" if moved else ""
    granted = taken_for_granted(use)
    provider = view.world.provider.tree.name or "the provider"
    yield Answer(
        "DC101",
        use.path,
        use.span,
        use.module,
        f"{provider} {view.version} has no module {use.module}{where}{granted}",
        confidence="likely" if granted else "certain",
        evidence=(view.evidence(moved.home, moved.line),) if moved else (),
        cause=_outermost(view, use.module),
    )


def _outermost(view: View, module: str) -> str:
    """The outermost package on the way to a module that is not there."""
    parts = module.split(".")
    for count in range(1, len(parts)):
        name = ".".join(parts[:count])
        if view.world.provider.locate(name) is None:
            return name
    return module
