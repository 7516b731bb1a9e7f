"""DC109: a command line of the consumer passes an option that the provider's command no longer takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.world import World
from driftcheck.uses import CommandUse, Use


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    """An option that known-good had in no form either is somebody else's."""
    if (
        not isinstance(target, CommandUse)
        or takes(view.world, target.flag)
        or not takes(before.world, target.flag)
    ):
        return
    yield Answer(
        "DC109",
        target.path,
        target.span,
        f"{target.program}.{target.flag}",
        f"the command {target.program} does not take {target.flag} in {view.version}",
        subject=target.flag,
        confidence="likely",
    )


def takes(world: World, flag: str) -> bool:
    """Whether the provider names an option: literally, or as a field that options are made of."""
    key = ("flag", flag)
    if key not in world.cache:
        world.cache[key] = any(_named(world, name) for name in _spellings(flag))
    return world.cache[key]


def _spellings(flag: str) -> list[str]:
    name = flag.removeprefix("--").partition(".")[0].replace("-", "_")
    return [name, name.removeprefix("no_")] if name.startswith("no_") else [name]


def _named(world: World, name: str) -> bool:
    """Whether ``--the-name`` stands in some string or ``the_name`` is declared somewhere in the provider."""
    index = world.provider
    dashed = name.replace("_", "-")
    literal = re.compile(rf"""["'\s]--(?:{re.escape(dashed)}|{re.escape(name)})(?![\w-])""".encode())
    declared = re.compile(rf"^\s*{re.escape(name)}\s*:".encode(), re.M)
    files = dict.fromkeys(
        [
            *index.files_mentioning("--" + dashed),
            *index.files_mentioning("--" + name),
            *index.files_mentioning(name),
        ]
    )
    return any(literal.search(data) or declared.search(data) for data in map(index.peek, files))
