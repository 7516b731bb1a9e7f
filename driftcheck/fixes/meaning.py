"""What leaving out an argument may change."""

from __future__ import annotations

import ast

from driftcheck.fixes.effects import has_effects, has_substance, mentions
from driftcheck.fixes.proposal import Job
from driftcheck.fixes.slices import text_of
from driftcheck.index.functions import FunctionDef
from driftcheck.index.source import SourceFault
from driftcheck.infer.callables import signature_of
from driftcheck.infer.values import FunctionValue, options


def meaning(job: Job, name: str, value: ast.expr) -> list[str]:
    """Why the call may do something else without the argument ``name``, whose expression is given."""
    return [*_evaluated(job, value), *_meaning(job, name, value)]


def _evaluated(job: Job, value: ast.expr) -> list[str]:
    if has_effects(value):
        return [f"{text_of(job.source, value).splitlines()[0]} is no longer evaluated"]
    return []


def _meaning(job: Job, name: str, value: ast.expr) -> list[str]:
    """Why the call may mean something else without the argument."""
    earlier = job.earlier_call
    if earlier is None or job.before is None:
        return []
    for option in options(earlier.callee):
        if isinstance(option, FunctionValue) and not _reads(option.definition, name):
            continue
        signature = signature_of(job.before.world, option)
        parameter = signature.parameter(name) if signature else None
        default = parameter.default if parameter else None
        if default is not None and ast.dump(default) == ast.dump(value):
            continue
        return [f"{job.before.version} used its value, {job.view.version} does not take one"]
    return []


def _reads(function: FunctionDef, name: str) -> bool:
    """Whether a function's body looks at its parameter, or is none: then others that stand in for it may."""
    try:
        if not any(has_substance(statement) for statement in function.node.body):
            return True
        return any(mentions(statement, name) for statement in function.node.body)
    except SourceFault:
        return True
