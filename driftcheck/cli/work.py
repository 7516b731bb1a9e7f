"""What ``check`` does between its options and its report: opens the trees and asks the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from driftcheck.cli.errors import NothingChecked, UsageProblem
from driftcheck.model import Report, Side
from driftcheck.sources.tree import Tree

Progress = Callable[[str], None]
Role = Literal["provider", "consumer"]


@dataclass(frozen=True)
class Request:
    """The options of ``check`` that decide what is read."""

    consumers: tuple[str, ...]
    against: str
    known_good: str | None = None
    python: Path | None = None
    include_tests: bool = False
    use_cache: bool = True
    refresh: bool = False
    no_contracts: bool = False


@dataclass(frozen=True)
class Outcome:
    """The report, the bytes of a consumer file by path, and what the user should know besides."""

    report: Report
    read: Callable[[str], bytes]
    warnings: list[str] = field(default_factory=list)


def run(request: Request, progress: Progress) -> Outcome:
    """Answers the request.

    Raises UsageProblem for a request that cannot be meant, and NothingChecked where a tree cannot be
    had or holds no Python file.
    """
    warnings: list[str] = []
    target = _open(request, request.against, "provider", progress)
    consumers = [_open(request, spec, "consumer", progress) for spec in request.consumers]
    answers = []
    for consumer in consumers:
        known_good = _known_good(request, consumer, target, progress, warnings)
        answers.append(_check(request, consumer, target, known_good, progress))
    return Outcome(_merged(answers), _reader(consumers), warnings)


def _open(request: Request, spec: str, role: Role, progress: Progress) -> Tree:
    from driftcheck.sources import SourceError, open_tree

    progress(f"reading {spec}")
    try:
        tree: Tree = open_tree(
            spec,
            role=role,
            python=request.python,
            refresh=request.refresh,
            include_tests=request.include_tests,
            progress=progress,
        )
    except SourceError as error:
        kind = UsageProblem if error.exit_status == UsageProblem.exit_code else NothingChecked
        raise kind(str(error)) from error
    if not tree.python_files:
        raise NothingChecked(f"{role} {spec}: no Python file to read")
    return tree


def _known_good(
    request: Request, consumer: Tree, target: Tree, progress: Progress, warnings: list[str]
) -> Tree | None:
    from driftcheck.sources import known_good_version

    if request.known_good is not None:
        spec = known_good_spec(request.known_good, target)
        return None if spec is None else _open(request, spec, "provider", progress)
    if target.name is None:
        return None
    version = known_good_version(consumer, target.name, refresh=request.refresh, progress=progress)
    if version is None:
        return None
    try:
        return _open(request, f"{target.name}=={version}", "provider", progress)
    except NothingChecked as error:
        # Nobody asked for this version: without it there is less to say, not nothing.
        wanted = f"{target.name} {version}, which {consumer.spec} requires"
        warnings.append(f"no comparison with {wanted}: {error}")
        return None


def known_good_spec(given: str, target: Tree) -> str | None:
    """The spec that ``--known-good`` means: X and a range are of the target's name; None for ``none``.

    Raises UsageProblem for another library's release, and for a bare version of a nameless target.
    """
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    if given == "none":
        return None
    if "/" in given or given.startswith(".") or given.endswith((".whl", ".tar.gz", ".zip")):
        return given
    bare = given[:1] in "<>=~!"
    if not bare:
        try:
            Version(given)
            bare = True
        except InvalidVersion:
            pass
    if bare:
        if target.name is None:
            raise UsageProblem(f"--known-good {given}: {target.spec} has no name to look that version up by")
        return f"{target.name}{given}" if given[0] in "<>=~!" else f"{target.name}=={given}"
    try:
        name = Requirement(given.replace("@latest", "")).name
    except InvalidRequirement as error:
        raise UsageProblem(f"--known-good {given}: allowed: X, name==X, a path, or none") from error
    if target.name is not None and canonicalize_name(name) != canonicalize_name(target.name):
        raise UsageProblem(f"--known-good {given}: another library than {target.name}, the one asked about")
    return given


def _check(
    request: Request, consumer: Tree, target: Tree, known_good: Tree | None, progress: Progress
) -> Report:
    from driftcheck.engine import CheckOptions, check

    options = CheckOptions(no_contracts=request.no_contracts)
    report: Report = check(consumer, target, known_good, options, progress)
    return report


def _merged(reports: list[Report]) -> Report:
    """Several consumers' reports as one; counts are added, the first known-good speaks for all."""
    first, *others = reports
    if not others:
        return first
    summary = dict(first.summary)
    for report in others:
        for key, value in report.summary.items():
            before = summary.get(key, 0)
            added = isinstance(before, int) and isinstance(value, int)
            summary[key] = before + value if added else value  # type: ignore[operator]
    return msgspec.structs.replace(
        first,
        consumer=Side(spec=" ".join(report.consumer.spec for report in reports)),
        known_good=next((report.known_good for report in reports if report.known_good), None),
        summary=summary,
        findings=sorted((one for report in reports for one in report.findings), key=lambda one: one.order),
    )


def _reader(consumers: list[Tree]) -> Callable[[str], bytes]:
    def read(path: str) -> bytes:
        for tree in consumers:
            try:
                return tree.read(path)
            except OSError:
                continue
        raise FileNotFoundError(path)

    return read
