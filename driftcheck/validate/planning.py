"""From a report and a scenario to the plan that a run carries out."""

from __future__ import annotations

from pathlib import Path

from driftcheck import __version__
from driftcheck.model import Finding, Report
from driftcheck.sources.payload import package_digest, package_files
from driftcheck.sources.tree import Tree
from driftcheck.validate.edits_file import ClaimEntry, EditsFile, resolve_edit
from driftcheck.validate.errors import ValidateError
from driftcheck.validate.places import claim_lines
from driftcheck.validate.portable.plan import Claim, Consumer, Edit, Fix, Plan, Where
from driftcheck.validate.scenario import Scenario

_TOO_LARGE = 64 << 20


def make_plan(
    report: Report,
    consumer: Tree,
    scenario: Scenario,
    sanity: Scenario | None,
    edits: EditsFile | None = None,
    command: str = "",
) -> Plan:
    """The plan for one consumer: its findings as claims, their fixes or those of an edits file.

    An edits file's fixes replace those of the analysis, unless it says that they come beside them or all
    it brings are alternatives to them. A scenario without the consumer has neither claims nor fixes.
    Raises ValidateError where an edit does not fit the consumer.
    """
    claims = _claims(report, consumer) if scenario.needs_consumer else {}
    fixes = _fixes(report, claims) if scenario.needs_consumer else []
    if edits is not None and scenario.needs_consumer:
        fixes = _with_edits(edits, consumer, claims, fixes)
    return Plan(
        driftcheck=__version__,
        scenario=scenario.drive(),
        consumer=Consumer(
            spec=_public_spec(consumer),
            packages=list(consumer.packages),
            name=consumer.name,
            version=consumer.version,
            sha256=package_digest(consumer),
            requires=list(consumer.requires),
        ),
        provider=scenario.provided(report.target.version),
        claims=list(claims.values()),
        fixes=fixes,
        sanity=sanity.drive() if sanity else None,
        known_good=report.known_good.version if report.known_good else None,
        command=command,
    )


def consumer_files(consumer: Tree) -> dict[str, bytes]:
    """The files that an overlay is made of: the consumer's packages, and metadata that names its version."""
    files = package_files(consumer)
    size = sum(map(len, files.values()))
    if size > _TOO_LARGE:
        raise ValidateError(f"{consumer.spec}: {size >> 20} MiB of files are too many for an overlay")
    if consumer.name and consumer.version:
        info = f"{consumer.name.replace('-', '_')}-{consumer.version}.dist-info"
        files[f"{info}/METADATA"] = (
            f"Metadata-Version: 2.1\nName: {consumer.name}\nVersion: {consumer.version}\n".encode()
        )
        groups = [
            "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""])
            for group, entries in consumer.entry_points.items()
        ]
        if groups:
            files[f"{info}/entry_points.txt"] = "\n".join(groups).encode()
    return files


def _public_spec(consumer: Tree) -> str:
    """The consumer's spec without a path of this machine."""
    if consumer.root is None or not Path(consumer.spec).exists():
        return consumer.spec
    return f"{consumer.name or consumer.packages[0]}{f'=={consumer.version}' if consumer.version else ''}"


def _claims(report: Report, consumer: Tree) -> dict[str, Claim]:
    found: dict[str, Claim] = {}
    for finding in report.findings:
        if finding.status == "fixed" or finding.code.startswith("DC9"):
            continue
        identity = _identity(found, finding.code, finding.path, finding.line)
        first, last = claim_lines(consumer, finding.path, finding.line, finding.column, finding.end_line)
        found[identity] = Claim(
            id=identity,
            code=finding.code,
            path=finding.path,
            line=finding.line,
            first_line=first,
            last_line=last,
            symbol=finding.symbol,
            message=finding.message,
            severity=finding.severity,
            confidence=finding.confidence,
            status=finding.status,
            related=[Where(one.path, one.line, one.message) for one in finding.related],
        )
    return found


def _identity(known: dict[str, Claim], code: str, path: str, line: int) -> str:
    short = f"{code}@{path.rpartition('/')[2].replace(' ', '_')}:{line}"
    identity, number = short, 2
    while identity in known:
        identity, number = f"{short}#{number}", number + 1
    return identity


def _fixes(report: Report, claims: dict[str, Claim]) -> list[Fix]:
    """The analysis' fixes; those that share an edit are one, since neither can be made without the other."""
    listed = [one for one in report.findings if one.status != "fixed" and not one.code.startswith("DC9")]
    groups: list[Fix] = []
    for finding, claim in zip(listed, claims.values(), strict=True):
        edits = _edits(finding)
        if not edits or finding.fix is None:
            continue
        same = [
            group for group in groups if any(_clash(one, other) for one in edits for other in group.edits)
        ]
        if not same:
            fix = finding.fix
            groups.append(Fix(claim.id, fix.description, edits, [claim.id], fix.applicability))
            continue
        same[0].claims.append(claim.id)
        same[0].edits += [one for one in edits if one not in same[0].edits]
    return groups


def _edits(finding: Finding) -> list[Edit]:
    if finding.fix is None or finding.fix.applicability == "display":
        return []
    return [
        Edit(one.path, one.line, one.column, one.end_line, one.end_column, one.text)
        for one in finding.fix.edits
    ]


def _clash(one: Edit, other: Edit) -> bool:
    """Whether two edits are the same, or want some of the same characters."""
    if one.path != other.path:
        return False
    if one == other:
        return True
    ends = (one.line, one.column), (one.end_line, one.end_column)
    other_ends = (other.line, other.column), (other.end_line, other.end_column)
    return ends[0] < other_ends[1] and other_ends[0] < ends[1]


def _with_edits(edits: EditsFile, consumer: Tree, claims: dict[str, Claim], fixes: list[Fix]) -> list[Fix]:
    brought = [
        Fix(
            entry.id,
            entry.description,
            [resolve_edit(one, consumer.read) for one in entry.edits],
            [_claim_for(one, consumer, claims) for one in entry.claims],
            instead_of=entry.instead_of,
        )
        for entry in edits.fixes
    ]
    if edits.with_analysis or all(fix.instead_of for fix in brought):
        brought = fixes + brought
    names = {fix.id for fix in brought if fix.instead_of is None}
    for fix in brought:
        if fix.instead_of is not None and fix.instead_of not in names:
            raise ValidateError(f"{fix.id}: instead-of names {fix.instead_of!r}, which is no fix")
    return brought


def _claim_for(entry: ClaimEntry, consumer: Tree, claims: dict[str, Claim]) -> str:
    """The id of the analysis' finding that an entry means, or of a claim made from the entry itself."""
    for claim in claims.values():
        if (claim.code, claim.path, claim.line) == (entry.code, entry.path, entry.line):
            return claim.id
    first, last = claim_lines(consumer, entry.path, entry.line, None, entry.line)
    identity = _identity(claims, entry.code, entry.path, entry.line)
    claims[identity] = Claim(
        id=identity,
        code=entry.code,
        path=entry.path,
        line=entry.line,
        first_line=first,
        last_line=last,
        symbol=entry.symbol,
        message=entry.message,
        confidence="stated",
        related=[Where(entry.path, line) for line in entry.related],
    )
    return identity
