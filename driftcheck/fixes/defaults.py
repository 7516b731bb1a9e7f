"""What a default amounted to on known-good, as an argument that the target takes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from driftcheck.fixes.proposal import Job
from driftcheck.fixes.values.none import admits_none
from driftcheck.index.functions import Parameter
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.defaults import Default
from driftcheck.infer.signatures import Signature
from driftcheck.infer.world import World

_HOLDER = re.compile(rb"(\w+)\s*\.\s*\Z")


@dataclass(frozen=True)
class Pinned:
    """The argument, why it is how known-good behaved, and whether it is literally its default."""

    code: str
    why: str
    same: bool
    doubts: tuple[str, ...] = ()


def behaved(job: Job, signature: Signature, before: Default) -> Pinned | None:
    """The value that makes the target behave like known-good's default; None where it cannot be written down.

    A None that known-good only asked for its truth is False where the target's type refuses None.
    """
    assert job.before is not None
    version = job.before.version
    value = _literal(before)
    if value is None:
        return None
    parameter = next((p for p in signature.parameters if p.name == before.name), None)
    if ast.literal_eval(value) is not None or parameter is None or not _refuses_none(parameter):
        return Pinned(value, f"its default in {version}", True)
    if not _is_bool(parameter):
        return None
    doubts = (
        () if only_truth(job.before.world, before) else (f"{version} may tell None from False somewhere",)
    )
    return Pinned(
        "False",
        f"{version} read its default None as false, and {job.view.version} takes no None",
        False,
        doubts,
    )


def _literal(before: Default) -> str | None:
    """The default's own text, where it means the same anywhere."""
    try:
        ast.literal_eval(before.text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    match before.value:
        case ("const", str(), constant) if constant != ast.literal_eval(before.text):
            # The class puts something else in the place of its default None.
            return repr(constant) if isinstance(constant, (bool, int, float, str)) else None
    return before.text


def _refuses_none(parameter: Parameter) -> bool:
    return parameter.annotation is not None and not admits_none(parameter.annotation)


def _is_bool(parameter: Parameter) -> bool:
    match parameter.annotation:
        case ast.Name(id="bool") | ast.Constant(value="bool"):
            return True
    return isinstance(parameter.default, ast.Constant) and isinstance(parameter.default.value, bool)


def only_truth(world: World, default: Default) -> bool:
    """Whether no code of the release asks the attribute whether it is None.

    Asked of reads through a name like the class's (``cache_config`` for ``CacheConfig``), and of the
    class's own methods; other classes may have an attribute of that name.
    """
    owner = default.symbol.split(".")[-2]
    holder = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", owner).lower()
    # The name comes first, for which the bytes are searched faster than for any word before it.
    asked = re.compile(rf"{re.escape(default.name)}\s+is\s+(?:not\s+)?None\b".encode())
    index = world.provider
    for path in index.files_mentioning(default.name):
        data = index.peek(path)
        holders = (
            _HOLDER.search(data, max(match.start() - 200, 0), match.start()) for match in asked.finditer(data)
        )
        names = {match[1].decode("utf-8", "replace") for match in holders if match}
        if not any(_is_holder(name, holder) or name == "self" for name in names):
            continue
        module = index.module(index.module_name(path))
        if module is None:
            continue
        try:
            tree = module.source.tree
        except SourceFault:
            return False
        own = next((n for n in nodes_of(tree) if isinstance(n, ast.ClassDef) and n.name == owner), None)
        if _asks(tree, default.name, holder) or (own is not None and _asks(own, default.name, "self")):
            return False
    return True


def _asks(tree: ast.AST, name: str, holder: str) -> bool:
    for node in nodes_of(tree):
        match node:
            case ast.Compare(
                left=ast.Attribute(value=base, attr=attr),
                ops=[ast.Is() | ast.IsNot()],
                comparators=[ast.Constant(value=None)],
            ) if attr == name:
                last = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
                if _is_holder(last, holder):
                    return True
    return False


def _is_holder(name: str, holder: str) -> bool:
    """Whether a variable's name says that it holds an object of the class."""
    return name.strip("_").endswith(holder)
