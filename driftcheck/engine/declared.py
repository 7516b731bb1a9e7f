"""DC501: the consumer's declared range of the provider admits releases that it certainly breaks on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from packaging.requirements import Requirement
from packaging.version import InvalidVersion, Version

from driftcheck.model import Finding, Related
from driftcheck.rulesdb import CodeInfo
from driftcheck.sources.names import normalized
from driftcheck.sources.tree import Tree
from driftcheck.uses.metadata import parsed, place_of

CODE = "DC501"


def declared(consumer: Tree, provider: str) -> list[Requirement]:
    """The consumer's requirements on the provider that state a range."""
    return [
        one
        for one in parsed(consumer.requires)
        if normalized(one.name) == normalized(provider) and len(one.specifier)
    ]


def not_admitted(consumer: Tree, provider: Tree) -> str:
    """What the consumer itself requires of the provider, where that leaves this version out; else empty."""
    if provider.name is None or provider.version is None:
        return ""
    lines = declared(consumer, provider.name)
    if not lines or any(one.specifier.contains(provider.version, prereleases=True) for one in lines):
        return ""
    ranges = sorted({",".join(sorted(map(str, one.specifier))) for one in lines})
    return " or ".join(f"{provider.name}{text}" for text in ranges)


def admitted(consumer: Tree, provider: str, releases: Iterable[str]) -> list[str]:
    """The releases that some declared range admits, in order; pre-releases where a range asks for them."""
    lines = declared(consumer, provider)
    versions = sorted(v for v in (_version(text) for text in releases) if v is not None)
    return [
        str(v)
        for v in versions
        if any(one.specifier.contains(v, prereleases=bool(one.specifier.prereleases)) for one in lines)
    ]


def too_wide(
    consumer: Tree, provider: str, found: Mapping[str, Iterable[Finding]], codes: Mapping[str, CodeInfo]
) -> list[Finding]:
    """One finding for each declared range that admits a release with a ``certain`` error.

    ``found`` holds what was found on each release that was looked at. What the range says is the
    metadata's; which releases break, and by which uses, goes into the message and ``related``.
    """
    info = codes.get(CODE)
    if info is None:
        return []
    answers: list[Finding] = []
    for one in declared(consumer, provider):
        broken = {
            version: errors
            for version in admitted(consumer, provider, found)
            if one.specifier.contains(Version(version), prereleases=True)
            and (errors := [f for f in found[version] if _counts(f)])
        }
        if broken:
            answers.append(_finding(info, consumer, one, broken))
    return answers


def _counts(finding: Finding) -> bool:
    return finding.severity == "error" and finding.confidence == "certain" and finding.status != "fixed"


def _finding(
    info: CodeInfo, consumer: Tree, one: Requirement, broken: Mapping[str, list[Finding]]
) -> Finding:
    path, span = place_of(consumer, one.name, *(str(part) for part in list(one.specifier)[:1]))
    versions = list(broken)
    shown = ", ".join(versions[:6]) + (f" and {len(versions) - 6} more" if len(versions) > 6 else "")
    first = broken[versions[0]][0]
    return Finding(
        code=info.code,
        name=info.name,
        severity=info.severity,
        confidence="certain",
        status="unknown",
        path=path,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        symbol=normalized(one.name),
        message=f"{one.name}{one.specifier} admits {shown}, where {first.symbol} breaks ({first.code})",
        related=tuple(
            Related(errors[0].path, errors[0].line, f"{version}: {errors[0].code} {errors[0].message}")
            for version, errors in broken.items()
        ),
    )


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
