"""Regular expressions over strings that are known: guards take versions apart with them.

Only patterns and strings that cannot take long are tried: short ones, with few repeats and none inside another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from driftcheck.infer.frame import Frame
from driftcheck.infer.signatures import Arguments
from driftcheck.infer.values import NONE, UNKNOWN, Const, Value

MAX_TEXT = 40
MAX_PATTERN = 80
MAX_REPEATS = 4
MAX_CHOICES = 6
_REPEAT = re.compile(r"(?<!\\)(?:[*+]|\{\d*,?\d*\})")
_CHOICE = re.compile(r"(?<![\\(])\?|\|")
_REPEATED_GROUP = re.compile(r"(?<!\\)\)(?:[*+]|\{)|[(|]\?<[=!]|\(\?[=!]")


@dataclass(frozen=True)
class Found:
    """What a pattern found in a string: the whole and the groups, with their names."""

    parts: tuple[str | None, ...]
    names: tuple[tuple[str, int], ...]

    def __getitem__(self, key: int | str) -> str | None:
        return self.parts[dict(self.names)[key] if isinstance(key, str) else key]

    def group(self, *keys: int | str) -> str | tuple[str | None, ...] | None:
        found = tuple(self[key] for key in keys or (0,))
        return found[0] if len(found) == 1 else found

    def groups(self, default: str | None = None) -> tuple[str | None, ...]:
        return tuple(default if part is None else part for part in self.parts[1:])

    def groupdict(self) -> dict[str, str | None]:
        return {name: self.parts[number] for name, number in self.names}


def is_quick(pattern: str, text: str) -> bool:
    """Whether trying a pattern on a string takes no time to speak of."""
    return (
        len(text) <= MAX_TEXT
        and len(pattern) <= MAX_PATTERN
        and len(_REPEAT.findall(pattern)) <= MAX_REPEATS
        and len(_CHOICE.findall(pattern)) <= MAX_CHOICES
        and _REPEATED_GROUP.search(pattern) is None
    )


def method_of_pattern(pattern: re.Pattern[str], name: str, args: list[Value]) -> Value:
    """What ``pattern.name(…)`` gives."""
    return _tried(name, pattern, args)


def _function(name: str) -> Callable[[Frame, ast.Call, Arguments], Value | None]:
    def call(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
        given = [argument.value for argument in arguments.positional]
        if arguments.keywords or arguments.open_positional or not given:
            return UNKNOWN
        pattern = _compiled(given[0])
        return UNKNOWN if pattern is None else _tried(name, pattern, given[1:])

    return call


def _compile(frame: Frame, node: ast.Call, arguments: Arguments) -> Value | None:
    given = [argument.value for argument in arguments.positional]
    pattern = _compiled(given[0]) if len(given) == 1 and not arguments.keywords else None
    return UNKNOWN if pattern is None else Const(pattern)


def _compiled(value: Value) -> re.Pattern[str] | None:
    if not isinstance(value, Const):
        return None
    if isinstance(value.value, re.Pattern):
        return value.value if isinstance(value.value.pattern, str) else None
    if not isinstance(value.value, str) or not is_quick(value.value, ""):
        return None
    try:
        return re.compile(value.value)
    except (re.error, OverflowError, RecursionError):
        return None


def _tried(name: str, pattern: re.Pattern[str], args: list[Value]) -> Value:
    from driftcheck.infer.containers import constant_value

    given = [arg.value for arg in args if isinstance(arg, Const) and isinstance(arg.value, str)]
    wanted = 2 if name == "sub" else 1
    if len(given) != len(args) or len(given) != wanted or len(given[0]) > MAX_TEXT:
        return UNKNOWN
    if not is_quick(pattern.pattern, given[-1]):
        return UNKNOWN
    try:
        result = getattr(pattern, name)(*given)
    except (re.error, IndexError):
        return UNKNOWN
    if isinstance(result, re.Match):
        return Const(Found((result.group(), *result.groups()), tuple(pattern.groupindex.items())))
    return NONE if result is None else constant_value(result)


NAMES = frozenset({"match", "fullmatch", "search", "findall", "split", "sub"})
REGEX_CALLS: dict[str, Callable[[Frame, ast.Call, Arguments], Value | None]] = {
    "re.compile": _compile,
    **{f"re.{name}": _function(name) for name in sorted(NAMES)},
}
