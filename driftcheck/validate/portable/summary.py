"""Results as text for people."""

from __future__ import annotations

from .outcome import Attempt
from .results import ChainLink, Results

OVERALL = {
    "works": "works as it stands",
    "drift": "drift confirmed",
    "fails": "fails, and not by a finding",
    "consumer-bug": "a bug of the consumer, not drift",
    "outside": "stopped by another distribution",
    "environment": "the environment cannot tell",
}
EXIT = {"works": 0, "drift": 1, "fails": 1, "consumer-bug": 1, "outside": 3, "environment": 3}


def exit_status(results: Results) -> int:
    """0 works as it stands, 1 drift or another failure, 3 environment, 130 interrupted."""
    if results.state == "interrupted":
        return 130
    return EXIT.get(results.verdicts.overall, 1)


def text_summary(results: Results) -> str:
    """The whole result, some dozen lines."""
    plan, verdicts = results.plan, results.verdicts
    target = f"{results.plan.provider.module} {plan.provider.version or ''}".strip()
    lines = [
        f"{plan.scenario.name}: {plan.consumer.spec} on {target}, {results.device}",
        f"{OVERALL.get(verdicts.overall, verdicts.overall)}: {verdicts.summary}",
    ]
    if told := parameters(results):
        lines.append(f"parameters: {told}")
    if results.problem:
        lines.append(f"partial ({results.state}): {results.problem}")
    lines += _environment(results)
    for missed in verdicts.missed:
        lines.append(f"MISSED BY ANALYSIS: {missed}")
    for outside in verdicts.outside:
        lines.append(f"outside: {outside}")
    for beyond in verdicts.beyond:
        lines.append(f"beyond ordinary use: {beyond} (only a run on known-good tells whose it is)")
    for bug in verdicts.consumer_bugs:
        lines.append(f"consumer-bug: {bug}")
    if results.attempts:
        lines += [*_chain(results), *_claims(results), *_fixes(results), *_attempts(results)]
    return "\n".join(lines) + "\n"


def parameters(results: Results) -> str:
    """The scenario's parameters as they were set; one without a value is left out."""
    given = sorted(results.plan.scenario.parameters.items())
    return ", ".join(f"{name}={value}" for name, value in given if value)


def _environment(results: Results) -> list[str]:
    found = results.environment
    if not found:
        return []
    distributions = found.get("distributions")
    named = (
        ", ".join(f"{name} {version}" for name, version in distributions.items())
        if isinstance(distributions, dict)
        else ""
    )
    lines = [f"environment: {found.get('python')}, {found.get('platform')}; {named}"]
    gpu = found.get("gpu")
    if isinstance(gpu, dict) and gpu.get("available"):
        lines.append(f"GPU: {gpu.get('name')}, {gpu.get('memory_gib')} GiB, torch {gpu.get('torch')}")
    conflicts = found.get("conflicts")
    lines += [
        f"metadata conflict (DC502): {one['requirement']} is required, {one['installed']} is installed"
        for one in (conflicts if isinstance(conflicts, list) else [])
    ]
    used = {name for attempt in results.attempts for name in attempt.shims}
    lines += [f"shim {shim.name}: {shim.reason}" for shim in results.plan.scenario.shims if shim.name in used]
    return lines


def _chain(results: Results) -> list[str]:
    if not results.chain:
        return []
    lines = ["", "chain:"]
    for number, link in enumerate(results.chain, 1):
        if not link.failure:
            lines.append(f"  {number}. works")
            continue
        told = foretold(link, results) or "no finding"
        cure = f"+{link.fix}" if link.fix else "nothing helps"
        by = " (by trial)" if link.fix and link.by == "trial" else ""
        lines.append(f"  {number}. {link.failure} [{told}] {cure}{by}")
    return lines


def foretold(link: ChainLink, results: Results) -> str:
    """The claims that a failure is mapped to, else those that the fix which removed it answers."""
    if link.claims or link.fix is None:
        return ", ".join(link.claims)
    answered = results.plan.fix(link.fix).claims
    return f"by what removed it: {', '.join(answered)}" if answered else ""


def _claims(results: Results) -> list[str]:
    if not results.plan.claims:
        return []
    lines = ["", "findings:"]
    for claim in results.plan.claims:
        verdict = results.verdicts.claims.get(claim.id)
        if verdict is not None:
            lines.append(f"  {verdict.verdict:<16} {claim.id}  {claim.path}:{claim.line}  {verdict.detail}")
    return lines


def _fixes(results: Results) -> list[str]:
    if not results.plan.fixes:
        return []
    lines = ["", "fixes:"]
    for fix in results.plan.fixes:
        verdict = results.verdicts.fixes.get(fix.id)
        if verdict is not None:
            name = f"{fix.id} instead of {fix.instead_of}" if fix.instead_of else fix.id
            lines.append(f"  {', '.join(verdict.words)}: {name} ({fix.description}); {verdict.detail}")
    return lines


def _attempts(results: Results) -> list[str]:
    lines = ["", "attempts:"]
    for one in results.attempts:
        fixes = f"{len(one.fixes)} of {len(results.plan.cures)} fixes" if one.fixes else "no fix"
        where = " on known-good" if one.on != "target" else ""
        lines.append(
            f"  {one.id}  {one.drive}{where}, {fixes}: {one.status}, {one.seconds:.0f} s{_steps(one)}"
        )
    return lines


def _steps(attempt: Attempt) -> str:
    bad = [f"{step.name} {step.status}" for step in attempt.steps if step.status not in ("passed", "not-run")]
    passed = sum(step.status == "passed" for step in attempt.steps)
    return f"; {passed} steps passed" + (f", {', '.join(bad)}" if bad else "")
