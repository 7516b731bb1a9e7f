"""Functions that a decorator marks for some releases only: ``@for_versions(">=1.2,<2")``.

What the decorator does with its range is the consumer's business (it may be asked much later, by whoever
collects the marked functions); a function marked only for ranges that leave out the version asked about is
taken not to run there.
"""

from __future__ import annotations

import ast

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.values import Const
from driftcheck.infer.world import World


def is_left_out(world: World, function: FunctionDef) -> bool:
    """Whether every range that decorators give the function leaves out the provider's version."""
    try:
        decorators = [d for d in function.decorators if isinstance(d, ast.Call)]
    except SourceFault:
        return False
    if not decorators or world.version is None:
        return False
    return world.remember(("left-out", function), lambda: _left_out(world, function, decorators), False)


def _left_out(world: World, function: FunctionDef, decorators: list[ast.Call]) -> bool:
    from driftcheck.infer.evaluator import Evaluator

    try:
        version = Version(world.version or "")
    except InvalidVersion:
        return False
    ranges: list[SpecifierSet] = []
    evaluator = Evaluator(world, world.module_scope(function.module))
    for decorator in decorators:
        for argument in [*decorator.args, *[k.value for k in decorator.keywords]]:
            if isinstance(argument, (ast.Constant, ast.Name, ast.Attribute)):
                value = evaluator.eval(argument)
                found = _range(value.value) if isinstance(value, Const) else None
                if found is not None:
                    ranges.append(found)
    return bool(ranges) and not any(r.contains(version, prereleases=True) for r in ranges)


def _range(text: object) -> SpecifierSet | None:
    """A string that is nothing but a range of versions."""
    if not isinstance(text, str) or not text.strip().startswith(("<", ">", "=", "!", "~")):
        return None
    try:
        found = SpecifierSet(text)
    except InvalidSpecifier:
        return None
    return found if len(found) else None
