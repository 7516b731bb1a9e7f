"""Command lines of the provider's written in the consumer: lists of words and shell strings."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator

from driftcheck.index.functions import own_nodes
from driftcheck.index.module import Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.facts import CommandFact
from driftcheck.infer.world import World
from driftcheck.uses.use import CommandUse

_FLAG = re.compile(r"--[A-Za-z][\w.-]*")


def command_uses(world: World, reached: set[tuple[str, int, int]]) -> Iterator[CommandUse]:
    """The options of every command line that is a literal, in statements that this version comes to."""
    library = world.provider.tree.name
    commands = [fact for fact in world.facts.commands if fact.library == library]
    index = world.consumer
    paths = sorted({path for fact in commands for path in index.files_mentioning(fact.program)})
    for path in paths:
        if path not in index.tree.python_files or b"--" not in index.peek(path):
            continue
        module = index.module(index.module_name(path))
        if module is None:
            continue
        try:
            tree = module.source.tree
        except SourceFault:
            continue
        statements = [n for n in nodes_of(tree) if isinstance(n, ast.stmt)]
        for scope in [
            tree,
            *(n for n in statements if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))),
        ]:
            for use in _in_scope(module, scope, commands):
                holder = _statement_of(statements, use.node)
                if path not in world.heard or (path, holder.lineno, holder.col_offset) in reached:
                    yield use


def _statement_of(statements: list[ast.stmt], node: ast.AST) -> ast.stmt:
    """The innermost statement that holds a node."""
    line: int = node.lineno  # type: ignore[attr-defined]
    holding = [s for s in statements if s.lineno <= line <= (s.end_lineno or s.lineno)]
    return max(holding, key=lambda s: (s.lineno, s.col_offset))


def _in_scope(module: Module, scope: ast.AST, commands: list[CommandFact]) -> Iterator[CommandUse]:
    names: dict[str, CommandFact] = {}
    parts: set[int] = set()  # what a longer list or text was made of
    for node in sorted(
        own_nodes(scope),
        key=lambda n: (getattr(n, "lineno", 0), getattr(n, "col_offset", 0), _longest_first(n)),
    ):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() | ast.BinOp() as value):
                fact = _program(_words(value), commands)
                if fact is not None:
                    names[name] = fact
                else:
                    names.pop(name, None)
            case ast.AugAssign(target=ast.Name(id=name), value=ast.List() as more) if name in names:
                yield from _flags(module, _words(more), names[name])
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="extend"), args=[ast.List() as more]
            ) if name in names:
                yield from _flags(module, _words(more), names[name])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[word]) if (
                name in names
            ):
                yield from _flags(module, [word], names[name])
            case ast.List() | ast.Tuple() | ast.BinOp(op=ast.Add()) if id(node) not in parts:
                words = _words(node)
                fact = _program(words, commands)
                if fact is not None:
                    parts.update(id(inner) for inner in ast.walk(node))
                    yield from _flags(module, words, fact)
            case ast.JoinedStr(values=values):
                parts.update(id(value) for value in values)
                yield from _shell(module, node, _formatted(values), commands)
            case ast.Constant(value=str(text)) if id(node) not in parts:
                yield from _shell(module, node, text, commands)


def _longest_first(node: ast.AST) -> tuple[int, int]:
    return (-(getattr(node, "end_lineno", None) or 0), -(getattr(node, "end_col_offset", None) or 0))


def _words(node: ast.expr) -> list[ast.expr]:
    """The elements of a list that is written out, also where lists are added up or put in by a star."""
    match node:
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return [word for element in elts for word in _element(element)]
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return [*_words(left), *_words(right)]
    return []


def _element(node: ast.expr) -> list[ast.expr]:
    return _words(node.value) if isinstance(node, ast.Starred) else [node]


def _formatted(values: list[ast.expr]) -> str:
    """The text of a formatted string, a word in the place of what is put in."""
    return "".join(
        value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else "X"
        for value in values
    )


def _program(words: list[ast.expr], commands: list[CommandFact]) -> CommandFact | None:
    """The command that a list of words runs: its first word, or the module after ``-m``."""
    texts = [w.value if isinstance(w, ast.Constant) and isinstance(w.value, str) else None for w in words]
    for fact in commands:
        if texts and texts[0] == fact.program and len(texts) > 1:
            return fact
        if "-m" in texts[:4] and any(text in fact.modules for text in texts[:5]):
            return fact
    return None


def _flags(module: Module, words: list[ast.expr], fact: CommandFact) -> Iterator[CommandUse]:
    for word in words:
        if isinstance(word, ast.Constant) and isinstance(word.value, str):
            yield from _flag(module, word, word.value, fact)


def _flag(module: Module, node: ast.expr, text: str, fact: CommandFact) -> Iterator[CommandUse]:
    flag = text.partition("=")[0]
    if _FLAG.fullmatch(flag):
        yield CommandUse(module.path, module.source.span(node), node, frozenset(), fact.program, flag)


def _shell(module: Module, node: ast.expr, text: str, commands: list[CommandFact]) -> Iterator[CommandUse]:
    """A whole command in one string; prose that only mentions one is not."""
    for fact in commands:
        if not text.startswith(fact.program + " ") or "--" not in text or "\n\n" in text:
            continue
        try:
            words = shlex.split(text)
        except ValueError:
            continue
        for word in words[1:]:
            yield from _flag(module, node, word, fact)
