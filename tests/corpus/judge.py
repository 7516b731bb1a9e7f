"""Runs a case of the corpus and says in words what is wrong; an empty list is a pass."""

import ast
import re
from dataclasses import dataclass, field

from corpus.cases import Incident, Quiet, Ref
from corpus.session import path_matches, release, report, shown


@dataclass
class Outcome:
    """What running one case showed."""

    problems: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)  # findings at the refs, for people
    absent: list[Ref] = field(default_factory=list)  # refs in no file of the release's import packages


def judge_incident(case: Incident) -> Outcome:
    outcome = Outcome()
    broken = shown(report(case.consumer, case.broke, case.worked))
    worked = shown(report(case.consumer, case.worked))
    for ref in case.refs:
        if not _exists(case.consumer, ref):
            outcome.problems.append(f"{ref.path} is not in {case.consumer}")
            continue
        here = at_ref(case.consumer, ref, broken)
        outcome.seen += _lines(case.broke, here)
        if not any(f.code in case.codes for f in (*here, *related_to_ref(case.consumer, ref, broken))):
            codes = "/".join(case.codes)
            outcome.problems.append(f"missed at {case.broke}: {codes} at {ref.path}:{ref.line}")
        noise = at_ref(case.consumer, ref, worked)
        outcome.problems += [f"not quiet at {case.worked}: {line}" for line in _lines("", noise)]
    if case.repaired:
        after = shown(report(case.repaired, case.broke))
        known = [f for ref in case.left for f in at_ref(case.repaired, ref, after)]
        left = [f for f in after if is_about(f, case) and f not in known]
        outcome.problems += [f"still in {case.repaired}: {line}" for line in _lines("", left)]
    return outcome


def judge_quiet(case: Quiet) -> Outcome:
    outcome = Outcome()
    findings = shown(report(case.consumer, case.target, case.known_good))
    if case.refs:
        outcome.absent = [ref for ref in case.refs if not _exists(case.consumer, ref)]
        present = [ref for ref in case.refs if ref not in outcome.absent]
        alarms = [f for ref in present for f in at_ref(case.consumer, ref, findings, guarded=True)]
    else:
        known = [f for ref in case.real for f in at_ref(case.consumer, ref, findings)]
        errors = [f for f in findings if f.severity == "error" and f.code.startswith(case.codes)]
        alarms = [f for f in errors if f not in known]
    outcome.seen = _lines(case.target, alarms)
    outcome.problems = [f"false alarm: {line}" for line in _lines("", alarms)]
    return outcome


def judge(case: Incident | Quiet) -> Outcome:
    return judge_incident(case) if isinstance(case, Incident) else judge_quiet(case)


def at_ref(consumer: str, ref: Ref, findings: list, guarded: bool = False) -> list:
    """The findings that start inside the call or statement at the ref: a finding is anchored at a
    keyword or at one name of an import, while a ref is where the call or statement starts. With
    ``guarded`` a ref to an ``if`` or ``try`` covers all of it."""
    first, last = extent(_source(consumer, ref), ref.line, guarded)
    return [f for f in findings if path_matches(f.path, ref.path) and first <= f.line <= last]


def related_to_ref(consumer: str, ref: Ref, findings: list) -> list:
    """The findings that name the ref as a further place: one defect of two places is told once."""
    first, last = extent(_source(consumer, ref), ref.line)
    return [
        f
        for f in findings
        if any(path_matches(r.path, ref.path) and first <= r.line <= last for r in f.related)
    ]


def is_about(finding, case: Incident) -> bool:
    """Whether a finding in another release of the consumer is this incident's."""
    words = set(re.findall(r"[A-Za-z_][\w.]*", f"{finding.symbol} {finding.message}"))
    parts = {part for word in words for part in word.split(".")}
    return finding.code in case.codes and any(
        f"{finding.symbol}.".startswith(f"{name}.") if "." in name else name in parts for name in case.names
    )


def extent(source: str, line: int, guarded: bool = False) -> tuple[int, int]:
    """The lines of the call that starts on a line, else of the smallest statement that holds it; of a
    compound statement its header, or with ``guarded`` all of an ``if``, ``try`` or ``with``."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return line, line
    nodes = list(ast.walk(tree))
    calls = [node.end_lineno or line for node in nodes if isinstance(node, ast.Call) and node.lineno == line]
    statements = [
        _lines_of(node, guarded and isinstance(node, ast.If | ast.Try | ast.With))
        for node in nodes
        if isinstance(node, ast.stmt)
    ]
    around = [(first, last) for first, last in statements if first <= line <= last]
    if calls and not guarded:
        return line, max(calls)
    return min(around, key=lambda lines: lines[1] - lines[0], default=(line, line))


def _lines_of(node: ast.stmt, whole: bool) -> tuple[int, int]:
    first, last = _first_line(node), node.end_lineno or node.lineno
    body = getattr(node, "body", None)
    if body and not whole:
        last = max(first, min(last, _first_line(body[0]) - 1))
    return first, last


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def _path_in(consumer: str, ref: Ref) -> str | None:
    tree = release(consumer, "consumer")
    if tree.is_file(ref.path):
        return ref.path
    return next((path for path in tree.python_files if path_matches(path, ref.path)), None)


def _exists(consumer: str, ref: Ref) -> bool:
    return _path_in(consumer, ref) is not None


def _source(consumer: str, ref: Ref) -> str:
    path = _path_in(consumer, ref)
    assert path is not None, f"{ref.path} is not in {consumer}"
    return release(consumer, "consumer").read(path).decode("utf-8", "replace")


def _lines(target: str, findings: list) -> list[str]:
    head = f"{target}: " if target else ""
    return [
        f"{head}{f.path}:{f.line} {f.code} {f.confidence} {f.status} {f.symbol}: {f.message}"
        for f in findings
    ]
