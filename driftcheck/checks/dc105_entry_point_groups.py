"""DC105: the consumer registers entry points under a group that the provider does not read any more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.world import World
from driftcheck.uses import GroupUse, Use


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(target, GroupUse):
        return
    group = target.group
    if _names(view.world, group.rpartition(".")[2]) or not _names(before.world, group):
        return
    yield Answer(
        "DC105",
        target.path,
        target.span,
        group,
        f"the consumer registers {target.listed} as {group}, and {view.version} names no such group: nothing "
        "is loaded from it, if the name is not put together",
        subject=group,
        severity="warning",
        confidence="likely",
    )


def _names(world: World, ending: str) -> bool:
    """Whether some string of the provider ends with these words."""
    pattern = re.compile(rf"(?<![\w]){re.escape(ending)}[\"']".encode())
    index = world.provider
    return any(pattern.search(index.peek(path)) for path in index.files_mentioning(ending))
