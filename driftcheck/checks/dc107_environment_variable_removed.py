"""DC107: the provider read an environment variable on known-good and reads it no more."""

from __future__ import annotations

import re
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.world import World
from driftcheck.uses import EnvironmentUse, Use


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    """Only what known-good read can be said to be gone: others read variables of the same prefix too."""
    if not isinstance(target, EnvironmentUse) or is_read(view.world, target.name):
        return
    if not is_read(before.world, target.name):
        return
    verb = "sets" if target.is_set else "asks for"
    yield Answer(
        "DC107",
        target.path,
        target.span,
        f"env.{target.name}",
        f"the consumer {verb} {target.name}, which {view.version} does not read: it has no effect there",
        subject=target.name,
        severity=None if target.is_set else "note",
    )


def is_read(world: World, name: str) -> bool:
    """Whether some code of the provider names the variable, outside comments."""
    key = ("environment-variable", name)
    if key not in world.cache:
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)".encode())
        index = world.provider
        world.cache[key] = any(_in_code(index.peek(path), whole) for path in index.files_mentioning(name))
    return world.cache[key]


def _in_code(data: bytes, whole: re.Pattern[bytes]) -> bool:
    """Whether a file names it outside comments."""
    return any(whole.search(line.partition(b"#")[0]) for line in data.splitlines())
