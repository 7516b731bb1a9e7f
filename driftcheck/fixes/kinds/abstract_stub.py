"""A stub for an abstract method that has come: what it is to do, a person decides."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import InsertAfter
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.index.functions import FunctionDef
from driftcheck.index.nodes import nodes_of
from driftcheck.infer.abstract import unimplemented
from driftcheck.infer.overrides import ancestry
from driftcheck.uses import ClassUse

CODES = frozenset({"DC302"})


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, ClassUse):
        return None
    left = unimplemented(job.view.world, ancestry(job.view.world, use.cls))
    body = [node for node in job.source.nodes if isinstance(node, ast.ClassDef) and node.name == use.cls.name]
    if not left or len(body) != 1:
        return None
    names = ", ".join(function.name for function in left)
    code = "".join(f"\n{_stub(function)}" for function in left)
    return Proposal((InsertAfter(body[0].body[-1], code),), f"implement {names}", (), "what it is to do")


def _stub(function: FunctionDef) -> str:
    word = "async def" if function.is_async else "def"
    decorators = "".join(f"@{ast.unparse(d)}\n" for d in function.decorators if _keeps(d))
    parameters = ast.unparse(_bare(function.header.args))
    return f"{decorators}{word} {function.name}({parameters}):\n    raise NotImplementedError"


def _keeps(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("property", "staticmethod", "classmethod")


def _bare(arguments: ast.arguments) -> ast.arguments:
    """The parameters without annotations, whose names the consumer's file need not have."""
    bare = ast.parse(f"def f({ast.unparse(arguments)}): pass").body[0]
    assert isinstance(bare, ast.FunctionDef)
    for node in nodes_of(bare.args):
        if isinstance(node, ast.arg):
            node.annotation = None
    return bare.args
