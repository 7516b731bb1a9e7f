"""The second step of a protocol follows the first one, and its result stands in for the first one's."""

from __future__ import annotations

import ast

from driftcheck.fixes.gates import version_test
from driftcheck.fixes.keeping import gate_needs
from driftcheck.fixes.operations import InsertAfter, Operation
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import enclosing, text_of
from driftcheck.fixes.statements import is_simple, statement_of
from driftcheck.fixes.values import Needed, derive
from driftcheck.fixes.values.none import none_passed
from driftcheck.infer.attributes import lookup
from driftcheck.infer.callables import signature_of
from driftcheck.infer.signatures import Arguments, Signature, bind
from driftcheck.infer.values import FunctionValue, Instance, Value, options
from driftcheck.uses import CallUse

CODES = frozenset({"DC405"})


def propose(job: Job) -> Proposal | None:
    use, second = job.use, job.answer.subject
    if (
        not isinstance(use, CallUse)
        or not isinstance(use.node, ast.Call)
        or job.call is None
        or not isinstance(use.node.func, ast.Attribute)
    ):
        return None
    receiver = text_of(job.source, use.node.func.value)
    signature = _signature(job, use, second)
    if signature is None:
        return None
    passed, doubts, person = _arguments(job, use, signature)
    call = f"{receiver}.{second}({passed})"
    statement = statement_of(job.source.tree, use.node)
    inserted = _inserted(job, use.node, statement, call)
    if inserted is None:
        return Proposal(
            (), f"call {call} after it", (), "where it is to go, and what is to be made of its result"
        )
    said = f"call {call} after it"
    needs = gate_needs(job) if job.style == "gate" else ()
    return Proposal(
        (*inserted, *needs), said, ("what the object behind it does was read, not run", *doubts), person
    )


def _signature(job: Job, use: CallUse, second: str) -> Signature | None:
    """How the second step is called, on the object that the first one is called on."""
    world = job.view.world
    found: list[Signature] = []
    for option in options(use.callee):
        if not isinstance(option, FunctionValue) or not isinstance(option.receiver, Instance):
            return None
        method: Value = lookup(world, option.receiver, second).value
        signature = signature_of(world, method)
        if signature is None:
            return None
        found.append(signature)
    return found[0] if found else None


def _arguments(job: Job, use: CallUse, signature: Signature) -> tuple[str, tuple[str, ...], str]:
    """The text of the required arguments, doubts about them, and what a person must choose."""
    assert isinstance(use.node, ast.Call)
    passed: list[str] = []
    doubts: list[str] = []
    unknown: list[str] = []
    for problem in bind(signature, Arguments()):
        for name in problem.names:
            parameter = next(p for p in signature.parameters if p.name == name)
            needed = Needed(job, use, use.node, signature, parameter)
            derived = next(none_passed(needed, positional=True), None) or next(derive(needed), None)
            if derived is None:
                unknown.append(name)
            keyword = "" if parameter.kind in ("positional", "ordinary") else f"{name}="
            passed.append(keyword + (derived.code if derived else "..."))
            if derived is not None and derived.code != "None":
                doubts += derived.doubts
    person = f"the value of {', '.join(unknown)} is for a person to choose" if unknown else ""
    return ", ".join(passed), tuple(doubts), person


def _inserted(job: Job, node: ast.Call, statement: ast.stmt, call: str) -> tuple[Operation, ...] | None:
    """The second call on every path after the first; None where a person must find the place."""
    if not is_simple(statement) or _skippable(statement, node):
        return None
    whole = _awaited(job, node)
    awaited = "await " if whole is not node else ""
    match statement:
        case ast.Expr(value=value) if _same(value, whole):
            return (_later(job, node, f"{awaited}{call}"),)
        case (
            ast.Assign(targets=[ast.Name(id=target)], value=value)
            | ast.AnnAssign(target=ast.Name(id=target), value=value)
        ):
            if value is None or not _same(value, whole):
                return None
            if not _gives_none(job):
                return (_later(job, node, f"{awaited}{call}"),)
            return (_later(job, node, f"if {target} is None:\n    {target} = {awaited}{call}"),)
    return None


def _awaited(job: Job, node: ast.Call) -> ast.expr:
    """The call with the ``await`` around it, if there is one."""
    holders = enclosing(job.source.tree, node)
    return holders[-1] if holders and isinstance(holders[-1], ast.Await) else node


def _same(one: ast.expr, other: ast.expr) -> bool:
    return _place(one) == _place(other)


def _place(node: ast.expr) -> tuple[int, int, int | None, int | None]:
    """Where a node stands, whichever parse it is of."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _later(job: Job, node: ast.Call, code: str) -> Operation:
    if job.style is not None and not code.startswith("if "):
        assert isinstance(node.func, ast.Attribute)
        receiver = text_of(job.source, node.func.value)
        test = f'hasattr({receiver}, "{job.answer.subject}")' if job.style == "shim" else version_test(job)
        code = f"if {test}:\n    {code}"
    return InsertAfter(node, code)


def _gives_none(job: Job) -> bool:
    return "returns None" in job.answer.message


def _skippable(statement: ast.stmt, node: ast.Call) -> bool:
    """Whether the call may not run although its statement does: behind ``and``, in a lambda."""
    holders = enclosing(ast.Module([statement], []), node)
    return any(
        isinstance(
            h, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        )
        for h in holders
    )
