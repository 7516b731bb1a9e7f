"""A result that is the element now, or has more parts: the subscript goes, the unpacking takes more."""

from __future__ import annotations

import ast

import libcst as cst

from driftcheck.fixes.gates import version_test
from driftcheck.fixes.keeping import gate_needs
from driftcheck.fixes.operations import Operation, Replacement
from driftcheck.fixes.proposal import Job, Proposal
from driftcheck.fixes.slices import Unparsable, code, expression, text_of
from driftcheck.infer.shapes import is_element_of
from driftcheck.infer.values import Container, TupleOf, options
from driftcheck.model import Span
from driftcheck.uses.results import ResultUse

CODES = frozenset({"DC401"})


def propose(job: Job) -> Proposal | None:
    use, earlier = job.use, job.earlier
    if not isinstance(use, ResultUse) or not isinstance(earlier, ResultUse):
        return None
    if use.how == "subscript" and is_element_of(use.value, earlier.value):
        return _without_subscript(job, use)
    if use.how == "unpack":
        return _wider(job, use, earlier)
    return None


def _without_subscript(job: Job, use: ResultUse) -> Proposal | None:
    """``result[0]`` is ``result`` where the call gives the one element itself."""
    node = use.node
    if not isinstance(node, ast.Subscript) or not _is_first(node.slice):
        return None
    text = text_of(job.source, node)
    whole = expression(text)
    if not isinstance(whole, cst.Subscript):
        raise Unparsable(text)
    inner, span = code(whole.value), job.source.span(node.value)
    end = job.source.span(node)
    said = f"the call gives the element itself: drop {text[len(text_of(job.source, node.value)) :].strip()}"
    doubts = () if job.answer.confidence == "certain" else ("the call's result is assumed",)
    if job.style is not None:
        # A list that is asked what it is tells nothing where the element is a list as well.
        tells = job.style == "shim" and not any(
            isinstance(option, Container) for option in options(use.value)
        )
        both = f"({text} if isinstance({inner}, list) else {inner})"
        if not tells:
            both = f"({inner} if {version_test(job)} else {text})"
        region = Span(end.line, end.column, end.end_line, end.end_column)
        needs: tuple[Operation, ...] = () if tells else gate_needs(job)
        return Proposal((Replacement(region, both), *needs), f"{said}, where it does", doubts)
    gone = Span(span.end_line, span.end_column, end.end_line, end.end_column)
    return Proposal((Replacement(gone, ""),), said, doubts)


def _is_first(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value == 0 and index.value is not False


def _wider(job: Job, use: ResultUse, earlier: ResultUse) -> Proposal | None:
    """Further unpacking targets for further parts, which nothing has used before."""
    now, then = _length(use), _length(earlier)
    node = use.node
    if (
        now is None
        or then is None
        or now <= then
        or not isinstance(node, (ast.Tuple, ast.List))
        or job.style is not None
    ):
        return None
    if len(node.elts) != then or any(isinstance(e, ast.Starred) for e in node.elts):
        return None
    span = job.source.span(node.elts[-1])
    after = Span(span.end_line, span.end_column, span.end_line, span.end_column)
    return Proposal(
        (Replacement(after, ", _" * (now - then)),),
        f"unpack {now} parts",
        ("which of the parts came last is taken on trust",),
    )


def _length(use: ResultUse) -> int | None:
    found = {len(o.elements) if isinstance(o, TupleOf) else _display(o) for o in options(use.value)}
    return found.pop() if len(found) == 1 else None


def _display(value: object) -> int | None:
    return len(value.elements) if isinstance(value, Container) and value.elements is not None else None
