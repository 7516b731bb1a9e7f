"""Uses that a call makes through strings: dotted paths, patches by helpers, environment variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from driftcheck.infer.frame import Frame, path_of
from driftcheck.infer.signatures import Argument, Arguments
from driftcheck.infer.strings import DOTTED, resolve_string
from driftcheck.infer.values import ClassValue, Const, DictOf, External, FunctionValue, Value, options
from driftcheck.infer.world import World
from driftcheck.uses.patchers import helper_patch, helper_path
from driftcheck.uses.use import EnvironmentUse, StringUse, Use


def string_uses(
    frame: Frame, node: ast.Call, callee: Value, arguments: Arguments, caught: frozenset[str]
) -> Iterator[Use]:
    """What a call of the consumer names by strings."""
    patch = helper_patch(frame, node, callee, arguments, caught)
    if patch is not None:
        yield patch
    yield from _patched_owner(frame, callee, arguments, caught)
    yield from _paths(frame, callee, arguments, caught)
    yield from _variables(frame, callee, arguments, caught)


def _patched_owner(
    frame: Frame, callee: Value, arguments: Arguments, caught: frozenset[str]
) -> Iterator[StringUse]:
    """What a patching helper resolves first: all but the last name of the string that it is given."""
    fact = frame.world.facts.patchers.get(helper_path(callee))
    first = arguments.positional[fact.target] if fact and fact.target < len(arguments.positional) else None
    text = _text(first.value) if first is not None else None
    if first is None or text is None or "." not in text:
        return
    for use in _path(frame, first, caught, True, text.rpartition(".")[0]):
        if use.missing is not None:
            yield use


def _paths(frame: Frame, callee: Value, arguments: Arguments, caught: frozenset[str]) -> Iterator[StringUse]:
    """Dotted strings given to what resolves them: a resolver by the rules, or a function of the provider."""
    world = frame.world
    fact = world.facts.resolvers.get(helper_path(callee))
    if fact is not None:
        argument = _argument(arguments, fact.argument, fact.keyword)
        if argument is not None:
            yield from _path(frame, argument, caught, fact.module)
        return
    if any(_is_providers(frame, option) for option in options(callee)):
        for argument in (*arguments.positional, *arguments.keywords.values()):
            if _looks_like_a_class(_text(argument.value) or ""):
                yield from _path(frame, argument, caught, False)


def _looks_like_a_class(text: str) -> bool:
    """Whether a string is a reference by its form alone: ``pkg.mod:name``, ``pkg:Name`` or ``pkg.mod.Name``.

    ``pkg:name`` is how metrics, topics and keys are called.
    """
    if DOTTED.fullmatch(text) is None:
        return False
    module, colon, name = text.partition(":")
    if colon:
        return "." in module or name[:1].isupper()
    return module.rpartition(".")[2][:1].isupper()


def _is_providers(frame: Frame, value: Value) -> bool:
    """Whether what is called is a function or class of the provider."""
    return isinstance(value, (FunctionValue, ClassValue)) and frame.world.is_provider(value.definition.module)


def _path(
    frame: Frame, argument: Argument, caught: frozenset[str], module: bool, part: str | None = None
) -> Iterator[StringUse]:
    """The use of a string, or of a ``part`` of it, that is a dotted path below the provider."""
    text = part if part is not None else _text(argument.value)
    world = frame.world
    if (
        text is None
        or not (module or DOTTED.fullmatch(text))
        or not world.provider.owns(text.partition(":")[0])
    ):
        return
    found = resolve_string(world, text)
    if found is None:
        return
    place = argument.node.value if isinstance(argument.node, ast.keyword) else argument.node
    source = frame.scope.module.source
    yield StringUse(
        frame.scope.module.path, source.span(place), place, caught, text, found.missing, found.owner, module
    )


def _argument(arguments: Arguments, number: int, keyword: str) -> Argument | None:
    if number < len(arguments.positional):
        return arguments.positional[number]
    return arguments.keywords.get(keyword) if keyword else None


def _text(value: Value) -> str | None:
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


_READS = frozenset({"os.getenv", "os.environ.get", "os.environ.pop"})
_SETS = frozenset({"os.environ.setdefault", "os.putenv", "pytest.MonkeyPatch.setenv"})
_MAPPINGS = frozenset({"env", "env_vars", "environ", "environment", "envs"})
"""Keywords whose mapping is the environment of another process, by common use."""


def _variables(
    frame: Frame, callee: Value, arguments: Arguments, caught: frozenset[str]
) -> Iterator[EnvironmentUse]:
    path = helper_path(callee)
    if path in _READS or path in _SETS:
        if arguments.positional:
            first = arguments.positional[0]
            yield from variable(frame, first.node, _text(first.value), path in _SETS, caught)
        return
    if path == "os.environ.update":
        mappings = [a.value for a in arguments.positional]
        for name, argument in arguments.keywords.items():
            yield from variable(frame, argument.node, name, True, caught)
    else:
        mappings = [a.value for name, a in arguments.keywords.items() if name in _MAPPINGS]
    for mapping in mappings:
        if isinstance(mapping, DictOf):
            for name, _ in mapping.entries:
                place = mapping.place(name, frame.scope.module.path)
                if place is not None:
                    yield from variable(frame, place, name, True, caught)


def item_uses(
    frame: Frame, node: ast.AST, how: str, value: Value, caught: frozenset[str]
) -> Iterator[EnvironmentUse]:
    """An environment variable read or set as an item: ``os.environ["X"]``, ``env["X"] = …``."""
    if how not in ("subscript", "item-set") or not isinstance(node, ast.Subscript):
        return
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        if is_environment(value, path_of(node.value)):
            yield from variable(frame, node.slice, node.slice.value, how == "item-set", caught)


def prefixes(world: World) -> tuple[str, ...]:
    """The prefixes that the rules give the provider's environment variables."""
    library = world.provider.tree.name
    return tuple(f.prefix for f in world.facts.environments if f.library == library)


def variable(
    frame: Frame, node: ast.AST, name: str | None, is_set: bool, caught: frozenset[str]
) -> Iterator[EnvironmentUse]:
    """The use of one variable; nothing where its name has none of the prefixes of the provider's rules."""
    if name is None or not name.startswith(prefixes(frame.world) or ("\0",)):
        return
    module = frame.scope.module
    yield EnvironmentUse(module.path, module.source.span(node), node, caught, name, is_set)


def is_environment(value: Value, path: str | None) -> bool:
    """Whether a mapping that a key is stored in is an environment: the process's, or by its name."""
    if value == External("os.environ"):
        return True
    last = (path or "").rpartition(".")[2].lower()
    return last in _MAPPINGS or last.endswith("_env")
