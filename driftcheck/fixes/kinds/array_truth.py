"""An array that is asked for its truth is asked what was meant: whether it is there, or has elements."""

from __future__ import annotations

import ast

from driftcheck.fixes.operations import Operation, Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import enclosing, text_of
from driftcheck.infer.arrays import is_array
from driftcheck.infer.values import NONE, Container, Instance, TupleOf, Value, options
from driftcheck.model import Span
from driftcheck.uses.results import ResultUse

CODES = frozenset({"DC402"})


def propose(job: Job) -> Proposal | None:
    use = job.use
    if not isinstance(use, ResultUse) or use.how != "truth" or not isinstance(use.node, ast.expr):
        return None
    holders = enclosing(job.source.tree, use.node)
    negated = holders[-1] if holders and _is_not(holders[-1]) else None
    region = job.source.span(negated if negated is not None else use.node)
    text = text_of(job.source, use.node)
    if not isinstance(use.node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        return None
    test = _test(job, use, text, negated is not None)
    if test is None:
        return None
    code, why = test
    operations: tuple[Operation, ...] = (
        Replacement(Span(region.line, region.column, region.end_line, region.end_column), code),
    )
    return Proposal(operations, f"ask {why}", ("what the truth of the array was to mean is inferred",))


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _test(job: Job, use: ResultUse, text: str, negated: bool) -> tuple[str, str] | None:
    """The question in code and in words; None where both questions may be meant."""
    may_be_none = NONE in options(use.value) or _was_none(job)
    if may_be_none:
        return (f"{text} is None" if negated else f"{text} is not None"), "whether it is there"
    if _was_counted(job):
        return (f"len({text}) == 0" if negated else f"len({text}) > 0"), "how many there are"
    if any(_is_torch(option) for option in options(use.value)):
        return (f"{text}.numel() == 0" if negated else f"{text}.numel() > 0"), "whether it has elements"
    return (f"{text}.size == 0" if negated else f"{text}.size > 0"), "whether it has elements"


def _was_none(job: Job) -> bool:
    earlier = job.earlier
    return isinstance(earlier, ResultUse) and NONE in options(earlier.value)


def _was_counted(job: Job) -> bool:
    """Whether known-good gave a list or tuple there: its truth was its length."""
    earlier = job.earlier
    if not isinstance(earlier, ResultUse):
        return False
    possible: list[Value] = [o for o in options(earlier.value) if o != NONE]
    return bool(possible) and all(isinstance(o, (Container, TupleOf)) for o in possible)


def _is_torch(value: Value) -> bool:
    path = getattr(value.cls, "path", "") if isinstance(value, Instance) and is_array(value) else ""
    return path.rpartition(".")[2] == "Tensor"
