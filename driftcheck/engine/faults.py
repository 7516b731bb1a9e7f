"""Files that could not be read: the consumer's own (DC903), and modules of the provider (DC902)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from driftcheck.index.source import SourceFault
from driftcheck.model import Finding, Span
from driftcheck.model.finding import Severity
from driftcheck.rulesdb import CodeInfo
from driftcheck.uses import ImportUse

if TYPE_CHECKING:
    from driftcheck.engine.session import Run
    from driftcheck.index.tree_index import Index

UNRESOLVED = "DC902"
UNREADABLE = "DC903"


def faults(run: Run, codes: Mapping[str, CodeInfo]) -> list[Finding]:
    """A finding for each consumer file that cannot be read, and for each import of an unreadable module.

    A file that does not mention the provider is not parsed: of it only bytes are asked that no
    Python file has.
    """
    return [*_consumer_faults(run, codes), *_provider_faults(run, codes)]


def none_read(findings: Sequence[Finding], files: int) -> str | None:
    """Why nothing was checked, where of a consumer's ``files`` none could be read; None where one could."""
    unread = [one for one in findings if one.code == UNREADABLE]
    if not unread or len(unread) < files:
        return None
    return f"no file could be read: {unread[0].path}:{unread[0].line}: {unread[0].message}"


def _consumer_faults(run: Run, codes: Mapping[str, CodeInfo]) -> Iterator[Finding]:
    info = codes.get(UNREADABLE)
    index = run.view.world.consumer
    for path in index.tree.python_files if info is not None else ():
        fault = index.faults.get(path) or _byte_fault(index, path)
        if fault is not None and info is not None:
            line, column = max(fault.line or 1, 1), max(fault.column or 1, 1)
            message = f"this file was not checked: {fault}"
            yield _finding(info, path, Span(line, column, line, column + 1), "", message)


def _byte_fault(index: Index, path: str) -> SourceFault | None:
    """What is wrong with a file that needs no parser to see."""
    try:
        if not index.tree.contains(path, b"\0"):
            return None
        data = index.read(path)
    except OSError as error:
        return SourceFault(f"cannot be read: {error.strerror or error}")
    return SourceFault("contains a NUL byte", data.count(b"\n", 0, data.find(b"\0")) + 1)


def _provider_faults(run: Run, codes: Mapping[str, CodeInfo]) -> Iterator[Finding]:
    info = codes.get(UNRESOLVED)
    provider = run.view.world.provider
    if info is None or not provider.faults:
        return
    seen: set[tuple[str, Span]] = set()
    for use in run.view.uses.uses:
        if not isinstance(use, ImportUse) or (use.path, use.span) in seen:
            continue
        place = provider.locate(use.module)
        fault = provider.faults.get(place[1]) if place is not None else None
        if fault is not None and place is not None:
            seen.add((use.path, use.span))
            message = f"{place[1]} of {run.view.version} cannot be read, nothing of it was checked: {fault}"
            yield _finding(info, use.path, use.span, use.module, message, "warning")


def _finding(
    info: CodeInfo, path: str, span: Span, symbol: str, message: str, severity: Severity | None = None
) -> Finding:
    return Finding(
        code=info.code,
        name=info.name,
        severity=severity or info.severity,
        confidence="certain",
        status="unknown",
        path=path,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        symbol=symbol,
        message=message,
    )
