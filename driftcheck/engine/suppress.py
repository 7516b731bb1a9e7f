"""What suppressions take out of a report, and those that take out nothing (DC901)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from driftcheck.engine.comments import END_OF_FILE, Suppression
from driftcheck.engine.selectors import prefix_of, suggestion
from driftcheck.model import Edit, Finding, Fix, Related
from driftcheck.rulesdb import CodeInfo

UNUSED = "DC901"

Enabled = Callable[[str, str], bool]
"""Whether a code is looked for in a file."""


@dataclass
class Suppressed:
    """What is left, and how many findings were taken out."""

    findings: list[Finding]
    count: int = 0


@dataclass
class _State:
    """A suppression with the codes it means, which of them took something out, and whether it has ended."""

    comment: Suppression
    prefixes: tuple[tuple[str, str | None], ...]
    ended: bool
    used: set[str] = field(default_factory=set)


def suppress(
    findings: Iterable[Finding],
    comments: Iterable[Suppression],
    versions: Mapping[str, str | None],
    codes: Mapping[str, CodeInfo],
    enabled: Enabled = lambda code, path: True,
) -> Suppressed:
    """The findings that no suppression covers, and one DC901 for each suppression that covers none.

    ``versions`` maps the providers asked about to the target's version: by them ``until`` is judged.
    A break that the target has repaired counts as a use of the suppression: the code may have to
    run on both versions.
    """
    states = [_State(one, _prefixes(one, codes), _has_ended(one, versions)) for one in comments]
    by_path: dict[str, list[_State]] = {}
    for state in states:
        by_path.setdefault(state.comment.path, []).append(state)
    kept: list[Finding] = []
    count = 0
    for finding in findings:
        covering = [state for state in by_path.get(finding.path, ()) if _covers(state, finding)]
        for state in covering:
            state.used.update(word for word, prefix in state.prefixes if _means(prefix, finding.code))
        if finding.status == "fixed" or not any(not state.ended for state in covering):
            kept.append(_told(finding, covering))
        else:
            count += 1
    unused = [one for state in states for one in _unused(state, codes, enabled, versions)]
    return Suppressed(sorted([*kept, *unused], key=lambda one: one.order), count)


def _prefixes(comment: Suppression, codes: Mapping[str, CodeInfo]) -> tuple[tuple[str, str | None], ...]:
    if comment.fault:
        return ()
    return tuple((word, prefix_of(word, codes)) for word in comment.codes or ("ALL",))


def _has_ended(comment: Suppression, versions: Mapping[str, str | None]) -> bool:
    if comment.until is None:
        return False
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion

    name, specifier = comment.until
    asked = {canonicalize_name(provider): version for provider, version in versions.items()}
    version = asked.get(canonicalize_name(name))
    if version is None:
        return False
    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return False


def _covers(state: _State, finding: Finding) -> bool:
    if finding.code == UNUSED:
        return False
    comment = state.comment
    if finding.end_line < comment.first or finding.line > comment.last:
        return False
    return any(_means(prefix, finding.code) for _, prefix in state.prefixes)


def _means(prefix: str | None, code: str) -> bool:
    return prefix is not None and code.startswith(prefix)


def _told(finding: Finding, ended: list[_State]) -> Finding:
    """The finding, saying that suppressions which covered it have ended."""
    notes = tuple(
        Related(
            one.comment.path,
            one.comment.line,
            f"the suppression here ended with {''.join(one.comment.until)}",
        )
        for one in ended
        if one.comment.until is not None and one.ended
    )
    if not notes:
        return finding
    return msgspec.structs.replace(finding, related=finding.related + notes)


def _unused(
    state: _State, codes: Mapping[str, CodeInfo], enabled: Enabled, versions: Mapping[str, str | None]
) -> list[Finding]:
    """DC901 for the codes of a suppression that took out nothing."""
    comment = state.comment
    info = codes.get(UNUSED)
    if info is None or any(prefix == UNUSED for _, prefix in state.prefixes):
        return []
    if not enabled(UNUSED, comment.path) or _about_another(comment, versions):
        return []
    if comment.fault:
        return [_finding(info, comment, f"this suppresses nothing: {comment.fault}", None)]
    idle: list[str] = []
    unknown: list[str] = []
    for word, prefix in state.prefixes:
        if prefix is None:
            unknown.append(word)
        elif word not in state.used and _all_enabled(prefix, codes, enabled, comment.path):
            idle.append(word)
    if not idle and not unknown:
        return []
    needless = [*idle, *unknown]
    return [_finding(info, comment, _message(comment, idle, unknown, codes), needless)]


def _about_another(comment: Suppression, versions: Mapping[str, str | None]) -> bool:
    """Whether ``until`` names a library that this run does not ask about."""
    if comment.until is None:
        return False
    from packaging.utils import canonicalize_name

    return canonicalize_name(comment.until[0]) not in map(canonicalize_name, versions)


def _all_enabled(prefix: str, codes: Mapping[str, CodeInfo], enabled: Enabled, path: str) -> bool:
    """Whether every check that the suppression is for was looked for; else nobody knows what it covers."""
    return all(enabled(code, path) for code in codes if code.startswith(prefix))


def _message(comment: Suppression, idle: list[str], unknown: list[str], codes: Mapping[str, CodeInfo]) -> str:
    parts = []
    if idle:
        where = "in this file" if comment.last == END_OF_FILE else "here"
        words = "nothing" if idle == ["ALL"] else f"no {' or '.join(idle)}"
        parts.append(f"this suppression is not used: there is {words} {where}")
    parts += [f"there is no check {word!r}; {suggestion(word, codes)}" for word in unknown]
    return "; ".join(parts)


def _finding(info: CodeInfo, comment: Suppression, message: str, needless: list[str] | None) -> Finding:
    """DC901 about a comment, of which some codes are ``needless``; None: nobody knows what it means."""
    fix = None
    if needless is not None:
        left = [word for word in comment.codes if word not in needless]
        fix = _shortened(comment, left) if left else _removed(comment)
    return Finding(
        code=info.code,
        name=info.name,
        severity=info.severity,
        confidence="certain",
        status="unknown",
        path=comment.path,
        line=comment.line,
        column=comment.column,
        end_line=comment.line,
        end_column=comment.end_column,
        symbol="",
        message=message,
        fix=fix,
    )


def _shortened(comment: Suppression, left: list[str]) -> Fix:
    """The comment with the codes that are used."""
    head, _, tail = comment.text.partition("[")
    text = f"{head}[{', '.join(left)}]{tail.partition(']')[2]}"
    edit = Edit(comment.path, comment.line, comment.column, comment.line, comment.end_column, text)
    return Fix("safe", f"keep only {', '.join(left)}", (edit,))


def _removed(comment: Suppression) -> Fix:
    """The comment gone, its line too where nothing else is on it."""
    if comment.alone:
        edit = Edit(comment.path, comment.line, 1, comment.line + 1, 1, "")
    else:
        start = comment.column - comment.gap
        edit = Edit(comment.path, comment.line, start, comment.line, comment.end_column, "")
    return Fix("safe", "remove the suppression", (edit,))
