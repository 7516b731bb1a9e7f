"""Who else may stand where a class is expected."""

from __future__ import annotations

import re

from driftcheck.index.classes import ClassDef
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.world import World


def attribute_elsewhere(world: World, cls: ClassDef, name: str) -> bool:
    """Whether a subclass of ``cls`` has the attribute, or other code of the provider puts it on objects."""
    key = ("elsewhere", cls, name)
    if key not in world.cache:
        world.cache[key] = _elsewhere(world, cls, name)
    return world.cache[key]


def _elsewhere(world: World, cls: ClassDef, name: str) -> bool:
    index = world.provider
    outside = re.compile(rf"(?<!self)\.{re.escape(name)}\s*(?::[^=\n]+)?=(?!=)|setattr\([^\n]*[\"']{re.escape(name)}[\"']")
    for path in index.files_mentioning(name):
        module = index.module(index.module_name(path))
        if module is None:
            continue
        if outside.search(module.source.text):
            return True
        for binding in module.functions_and_classes:
            if binding.kind != "class":
                continue
            other = module.class_of(binding)
            if name not in other.text or other is cls:
                continue
            if cls in mro(world, other).order and (name in other.members or other.assigns(name)):
                return True
    return False
