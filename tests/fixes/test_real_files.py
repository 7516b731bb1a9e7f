"""Real layouts: every call, import and function of real files can be edited without harm to the rest."""

from __future__ import annotations

import ast
import io
import random
import tokenize
from collections import Counter
from collections.abc import Iterator

import pytest
from corpus.session import release

from driftcheck.fixes import apply_edits
from driftcheck.fixes.operations import (
    AddArgument,
    CallChange,
    DropArgument,
    ImportChange,
    Operation,
    ParametersAdded,
    ParameterWanted,
)
from driftcheck.fixes.plan import operations_to_edits
from driftcheck.fixes.slices import Unparsable
from driftcheck.index.module import Module
from driftcheck.index.source import Source, SourceFault
from driftcheck.infer.run import item_at

pytestmark = [pytest.mark.network, pytest.mark.slow]

CONSUMERS = (
    "lm-eval==0.4.11",
    "lmcache==0.3.7",
    "cosmos-rl==0.3.9",
    "speculators==0.3.0",
    "vllm-omni==0.14.0",
)
FILES = 40
"""Files of each consumer."""
EACH = 12
"""Operations of each kind in a file; a large one has thousands of calls."""


class _At:
    """As much of a frame as finding a definition's place needs."""

    def __init__(self, module: Module) -> None:
        self.scope = self
        self.module = module


def operations(module: Module, chance: random.Random) -> Iterator[Operation]:
    nodes = list(ast.walk(module.source.tree))
    calls = [n for n in nodes if isinstance(n, ast.Call)]
    imports = [n for n in nodes if isinstance(n, ast.ImportFrom) and n.names[0].name != "*"]
    functions = [n for n in nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for call in chance.sample(calls, min(EACH, len(calls))):
        yield CallChange(call, (AddArgument("added_here", "None"),))
        named = [keyword.arg for keyword in call.keywords if keyword.arg]
        if named:
            yield CallChange(call, (DropArgument(chance.choice(named)),))
    for node in chance.sample(imports, min(EACH, len(imports))):
        name = chance.choice(node.names).name
        yield ImportChange(node, name, "new.place", name)
    for function in chance.sample(functions, min(EACH, len(functions))):
        if function.args.args or function.args.posonlyargs:
            found = module.function_of(item_at(_At(module), function))  # type: ignore[arg-type]
            found.__dict__.setdefault("node", function)
            yield ParametersAdded(found, (ParameterWanted("added_here", "ordinary", "None"),))


def comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize("spec", CONSUMERS)
def test_every_edit_parses_and_leaves_the_rest(spec: str) -> None:
    tree = release(spec, "consumer")
    chance = random.Random(7)
    paths = list(tree.python_files)
    chance.shuffle(paths)
    done: Counter[str] = Counter()
    for path in paths[:FILES]:
        data = tree.read(path)
        try:
            module = Module(path, Source(path, data), False)
            wanted = list(operations(module, chance))
        except SourceFault:
            continue
        text = module.source.text
        for operation in wanted:
            try:
                edits = operations_to_edits(module.source, [operation])
            except Unparsable:
                done["refused"] += 1
                continue
            after = apply_edits(data, edits).decode().replace("\r\n", "\n")
            ast.parse(after)
            first, last = min(e.line for e in edits), max(e.end_line for e in edits)
            old, new = text.split("\n"), after.split("\n")
            assert new[: first - 1] == old[: first - 1]
            assert new[len(new) - (len(old) - last) :] == old[last:]
            lost = comments(text) - comments(after)
            assert all(
                c.lstrip("# ").startswith(("type:", "noqa", "pylint", "pyright", "mypy", "ruff"))
                for c in lost
            ), lost
            done[type(operation).__name__] += 1
    assert done["refused"] <= done.total() // 100
