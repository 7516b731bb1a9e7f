"""DC105: a dotted string names a module, or something in one, that the provider does not have."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.moves import moved_name
from driftcheck.infer.values import ModuleValue
from driftcheck.uses import StringUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, StringUse) or use.missing is None:
        return
    if use.caught & _waited_for(use, use.missing):
        return
    owner, _, name = use.missing.rpartition(".")
    if isinstance(use.owner, ModuleValue) and (owner, name) in view.uses.injected:
        return
    if not isinstance(use.owner, ModuleValue):
        owner, _, name = use.text.replace(":", ".").rpartition(".")
    moved = moved_name(view.world, owner, name)
    where = f"; {moved.phrase}" if moved else ""
    provider = view.world.provider.tree.name or "the provider"
    yield Answer(
        "DC105",
        use.path,
        use.span,
        use.missing,
        f"the string names {use.text}, and {provider} {view.version} has no {use.missing}{where}",
        evidence=(view.evidence(moved.module, moved.line),) if moved else (),
    )


def _waited_for(use: StringUse, missing: str) -> set[str]:
    """What a handler may name: what is missing before the end of a path may be a module or a name in one."""
    if use.whole_module:
        return {"ImportError", "ModuleNotFoundError"}
    is_last = missing == use.text.replace(":", ".")
    return {"ImportError", "AttributeError", *(() if is_last else ("ModuleNotFoundError",))}
