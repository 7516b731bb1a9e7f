"""Handlers that do not help: they raise again, at once or where another library is not installed either."""

from __future__ import annotations

import ast
import sys

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from driftcheck.infer.frame import Frame


def reraises(handler: ast.ExceptHandler) -> bool:
    """Whether a handler ends by raising, so that nothing is caught for good."""
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and all(
        not isinstance(s, (ast.If, ast.Return, ast.Import, ast.ImportFrom, ast.Try)) for s in handler.body
    )


def last_resort(frame: Frame, handler: ast.ExceptHandler) -> str:
    """The library that a handler imports instead of the provider, and without which it raises; else empty.

    Only one that the consumer does not require: what it requires is there.
    """
    first = handler.body[0]
    if not isinstance(first, ast.Try) or not first.handlers or not all(reraises(h) for h in first.handlers):
        return ""
    libraries: set[str] = set()
    for statement in first.body:
        if isinstance(statement, ast.Import):
            libraries |= {alias.name.partition(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            libraries.add(statement.module.partition(".")[0])
        else:
            return ""
    if len(libraries) != 1:
        return ""
    library = libraries.pop()
    own = frame.world.index_of(library) is not None
    return "" if own or library in sys.stdlib_module_names or library in _required(frame) else library


def _required(frame: Frame) -> set[str]:
    """The import names, as far as a distribution's name tells, of what the consumer always requires."""
    found: set[str] = set()
    for line in frame.world.consumer.tree.requires:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        if requirement.marker is None or "extra" not in str(requirement.marker):
            found.add(canonicalize_name(requirement.name).replace("-", "_"))
    return found
