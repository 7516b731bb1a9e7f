"""What all text formats share: which findings are told one by one, and the line that sums them up."""

from __future__ import annotations

from collections import Counter

from driftcheck.model import Finding, Report, Side
from driftcheck.report.context import Context
from driftcheck.report.escape import visible

_RUN = "DC9"
_UNREADABLE = "DC903"
_SEVERITIES = ("error", "warning", "note")


def shown(report: Report) -> list[Finding]:
    """The findings told one by one: what a version repaired is only counted."""
    return [one for one in report.findings if one.status != "fixed"]


def summary(report: Report, context: Context) -> str:
    """One line: how much was found, of what on what, against which known-good."""
    findings = shown(report)
    drifts = [one for one in findings if not one.code.startswith(_RUN)]
    parts = [_headline(report, drifts)]
    about_the_run = Counter[str](one.name for one in findings if one.code.startswith(_RUN))
    parts += [f"{count} {name}" for name, count in sorted(about_the_run.items())]
    if report.providers:
        known = [_version(pair.known_good) if pair.known_good else "none" for pair in report.providers]
        parts.append(f"known-good {', '.join(known)}")
    elif report.known_good is None:
        parts.append("no known-good version to compare with")
    else:
        parts.append(f"known-good {_version(report.known_good)}")
    if report.summary.get("required"):
        parts.append(f"the consumer itself requires {visible(str(report.summary['required']))}")
    old = sum(one.status == "preexisting" for one in findings)
    if old:
        parts.append(f"{old} broken there already")
    fixed = len(report.findings) - len(findings)
    if fixed:
        parts.append(f"{fixed} {_plural('use', fixed)} broken there and not here")
    if context.hidden:
        parts.append(f"{context.hidden} of confidence possible hidden (--show-possible shows them)")
    parts += context.outside
    return "; ".join(parts)


def _headline(report: Report, findings: list[Finding]) -> str:
    targets = ", ".join(_side(pair.target) for pair in report.providers) or _side(report.target)
    pair = f"{_side(report.consumer)} on {targets}"
    unread = any(one.code == _UNREADABLE for one in report.findings)
    if not findings and report.summary.get("uses") == 0 and not unread:
        return f"{_side(report.consumer)} never mentions {targets}: nothing to check"
    if not findings:
        return f"No drift: {pair}"
    counts = Counter[str](one.severity for one in findings)
    present = [kind for kind in _SEVERITIES if counts[kind]]
    by_severity = ", ".join(f"{counts[kind]} {_plural(kind, counts[kind])}" for kind in present)
    return f"Found {len(findings)} {_plural('drift', len(findings))} ({by_severity}): {pair}"


def _side(side: Side) -> str:
    spec = visible(side.spec)
    if side.version is None or spec.endswith(f"=={side.version}"):
        return spec
    return f"{spec} ({visible(side.version)})"


def _version(side: Side) -> str:
    return visible(side.version or side.spec)


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"
