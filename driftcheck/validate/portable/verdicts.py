"""What the attempts show, taken together. A pure function of the results: it can be replayed."""

from __future__ import annotations

from .mapping import behavioural, map_failure, outside_of, signature
from .outcome import Attempt, Failure
from .plan import Claim, Fix
from .results import ChainLink, ClaimVerdict, FixVerdict, Results, Verdicts
from .stages import all_fixes, instead, removed, without


def judge(results: Results) -> Verdicts:
    """The verdicts for every claim and fix, and for the run as a whole."""
    return _Judge(results).verdicts()


def replay(results: Results) -> None:
    """Maps and judges everything on record anew; nothing is run."""
    for attempt in results.attempts:
        for failure in attempt.failures:
            failure.claims = map_failure(failure, results.plan, attempt.fixes, attempt.reached)
            failure.outside = None if failure.claims else outside_of(failure, results.plan)
    for link in results.chain:
        attempt_then = results.attempt(link.attempt)
        first = attempt_then.first_failure if attempt_then else None
        if first is not None:
            link.claims = list(first.claims)
            if link.fix is not None:
                foretold = set(link.claims) & set(results.plan.fix(link.fix).claims)
                link.by = "mapping" if foretold else "trial"
    if results.state != "environment":
        results.verdicts = judge(results)


class _Judge:
    def __init__(self, results: Results) -> None:
        self._results = results
        self._plan = results.plan
        self._attempts = [
            one for one in results.attempts if one.on == "target" and one.drive == results.plan.scenario.name
        ]
        self._original = results.with_fixes([])
        self._all = results.with_fixes(all_fixes(self._plan))
        self._removed_by = self._what_removed()

    def verdicts(self) -> Verdicts:
        found = Verdicts()
        found.consumer_bugs = self._consumer_bugs()
        found.claims = {claim.id: self._claim(claim) for claim in self._plan.claims}
        found.fixes = {fix.id: self._fix(fix) for fix in self._plan.fixes}
        self._unexplained(found)
        found.all_sufficient = None if self._all is None else self._all.core_passed
        found.overall, found.summary = self._overall(found)
        return found

    def _fix_of(self, claim: Claim) -> Fix | None:
        return next((fix for fix in self._plan.cures if claim.id in fix.claims), None)

    def _open(self, claim: Claim) -> list[Attempt]:
        """The attempts in which the claim's fix was not made."""
        fixes = {fix.id for fix in self._plan.fixes if claim.id in self._claims(fix)}
        return [one for one in self._attempts if not fixes & set(one.fixes)]

    def _claims(self, fix: Fix) -> list[str]:
        return self._plan.fix(fix.instead_of).claims if fix.instead_of else fix.claims

    def _claim(self, claim: Claim) -> ClaimVerdict:
        tries = self._open(claim)
        struck = [(one, failure) for one in tries for failure in one.failures if self._shows(failure, claim)]
        if struck:
            attempts = list(dict.fromkeys(one.id for one, _ in struck))
            return ClaimVerdict("confirmed", struck[0][1].headline, attempts)
        fix = self._fix_of(claim)
        if fix is not None and (cured := self._cured(claim, fix)) is not None:
            return cured
        if self._left_over(claim):
            detail = "a result differs with all fixes made, and no other finding is left that foretells it"
            return ClaimVerdict("silent-confirmed", detail, [self._all.id] if self._all else [])
        passing = [one for one in tries if one.core_passed]
        reached = [one for one in passing if claim.id in one.reached]
        if reached:
            return ClaimVerdict("refuted", "the line ran and nothing failed", [one.id for one in reached])
        if passing:
            return ClaimVerdict("not-reached", "the scenario works and never comes to that line")
        if any(claim.id in one.reached for one in tries):
            return ClaimVerdict(
                "masked", "the line ran, but another failure ended each attempt without its fix"
            )
        if tries:
            return ClaimVerdict("masked", "another failure struck before that line")
        return ClaimVerdict("not-reached", "no attempt was made without its fix")

    def _what_removed(self) -> dict[object, set[str]]:
        """By failure, the claims of the fix that alone removed it: what else it is mapped to explains it less."""
        found: dict[object, set[str]] = {}
        for fix in self._plan.cures:
            for before, after in self._pairs(fix):
                failure = before.first_failure
                if failure is not None and set(failure.claims) & set(fix.claims):
                    if removed(self._plan, before, after):
                        found.setdefault(signature(failure), set()).update(fix.claims)
        return found

    def _shows(self, failure: Failure, claim: Claim) -> bool:
        """Whether the failure is mapped to the claim, and no fix for other claims removes it."""
        return claim.id in failure.claims and claim.id in self._removed_by.get(signature(failure), {claim.id})

    def _left_over(self, claim: Claim) -> bool:
        """Whether a difference that all fixes leave can come from this well-founded claim alone."""
        if self._all is None or not any(self._of_drift(one) for one in self._all.failures):
            return False
        left = [
            one
            for one in self._plan.claims
            if behavioural(one)
            and one.confidence in ("certain", "likely")
            and one.id in self._all.reached
            and self._fix_of(one) is None
        ]
        return left == [claim]

    def _of_drift(self, failure: Failure) -> bool:
        """Whether a difference can be drift: beyond ordinary use only a run on known-good rules out a bug."""
        known = self._results.with_fixes([], on="known-good")
        if failure.kind != "differs" or (known is None and failure.group == "limits"):
            return False
        return known is None or all(one.step != failure.step for one in known.failures)

    def _cured(self, claim: Claim, fix: Fix) -> ClaimVerdict | None:
        """A verdict that rests on what its fix removed: a difference, or a failure that no claim foretold."""
        for before, after in self._pairs(fix):
            for step in before.steps:
                if step.status == "differs" and after.step(step.name) == "passed":
                    detail = f"{step.name}: the result differs, and no longer with {fix.id}"
                    return ClaimVerdict("silent-confirmed", detail, [before.id, after.id])
        for link in self._results.chain:
            if (
                link.fix == fix.id
                and link.removed
                and (link.by == "trial" or set(link.claims) & set(fix.claims))
            ):
                kind = "confirmed" if not behavioural(claim) or link.failure else "silent-confirmed"
                return ClaimVerdict(kind, f"{link.failure} (gone with {fix.id})", [link.attempt])
        return None

    def _pairs(self, fix: Fix) -> list[tuple[Attempt, Attempt]]:
        """Attempts that differ in this fix alone: without it, with it."""
        by_fixes = {tuple(one.fixes): one for one in self._attempts}
        found = []
        for one in self._attempts:
            if fix.id not in one.fixes:
                other = by_fixes.get(tuple(sorted([*one.fixes, fix.id])))
                if other is not None:
                    found.append((one, other))
        return found

    def _fix(self, fix: Fix) -> FixVerdict:
        return self._alternative(fix) if fix.instead_of else self._cure(fix)

    def _cure(self, fix: Fix) -> FixVerdict:
        verdict = FixVerdict()
        left_out = self._results.with_fixes(without(self._plan, fix))
        link = next((one for one in self._results.chain if one.fix == fix.id), None)
        if self._all is not None and left_out is not None:
            worse = _worse(self._all, left_out)
            verdict.necessary = bool(worse)
            verdict.detail = f"without it: {worse[0]}" if worse else "all else works as well without it"
        elif link is not None:
            verdict.necessary, verdict.detail = True, f"it removed: {link.failure}"
        if link is not None and link.removed:
            verdict.sufficient = True
        elif any(fix.id in one.tried for one in self._results.chain if self._mapped(fix, one.claims)):
            verdict.sufficient = False
        elif verdict.necessary and self._all is not None and self._all.core_passed:
            verdict.sufficient = True
        for before, after in self._pairs(fix):
            if harm := _harm(before, after):
                verdict.harmful, verdict.detail = True, harm
        return verdict

    def _mapped(self, fix: Fix, claims: list[str]) -> bool:
        return bool(set(fix.claims) & set(claims))

    def _alternative(self, fix: Fix) -> FixVerdict:
        replaced = self._plan.fix(fix.instead_of or "")
        tried = self._results.with_fixes(instead(self._plan, fix))
        if tried is None or self._all is None:
            return FixVerdict()
        worse = _worse(self._all, tried)
        if not worse:
            return FixVerdict(True, True, detail=f"works as well as {replaced.id}")
        silent = [
            step.name
            for step in self._all.steps
            if step.status == "passed" and tried.step(step.name) == "differs"
        ]
        if silent:
            figures = next((f.problems for f in tried.failures if f.step == silent[0] and f.problems), [""])
            detail = f"no error, and a wrong result in {silent[0]!r}: {figures[0]}"
            return FixVerdict(False, False, harmful=True, detail=detail)
        failure = tried.first_failure
        return FixVerdict(False, False, detail=f"still: {failure.headline if failure else tried.status}")

    def _consumer_bugs(self) -> list[str]:
        known = self._results.with_fixes([], on="known-good")
        if known is None:
            return []
        return [
            f"{failure.step or 'start'}: {failure.headline} (on known-good too)"
            for failure in known.failures
            if failure.kind not in ("timeout", "memory")  # the run was cut off: nobody's bug is shown
        ]

    def _unexplained(self, found: Verdicts) -> None:
        """Sorts what no claim explains: missed, outside, beyond ordinary use, or the consumer's own."""
        known = self._results.with_fixes([], on="known-good")
        bugs = {failure.step for failure in known.failures} if known else set()
        cured = {link.attempt for link in self._results.chain if self._explained_by_cure(link)}
        for attempt in self._telling():
            failures = attempt.failures if attempt is self._all else attempt.failures[:1]
            for failure in failures:
                if failure.claims or failure.step in bugs or attempt.id in cured:
                    continue
                if failure.kind == "differs" and (attempt is not self._all or self._any_left_over()):
                    continue  # which fix removes it, or which claim it comes from, the verdicts tell
                told = f"{failure.step or 'start'}: {failure.headline}"
                if failure.outside:
                    _note(found.outside, f"{failure.outside}: {failure.headline}")
                elif failure.group == "limits" and known is None:
                    _note(found.beyond, told)
                else:
                    _note(found.missed, told)

    def _telling(self) -> list[Attempt]:
        """The attempts whose failures nothing else explains: without fixes, along the chain, with all."""
        wanted = {link.attempt for link in self._results.chain}
        return [one for one in self._attempts if one in (self._original, self._all) or one.id in wanted]

    def _explained_by_cure(self, link: ChainLink) -> bool:
        return bool(link.removed and link.fix and self._plan.fix(link.fix).claims)

    def _any_left_over(self) -> bool:
        return any(self._left_over(claim) for claim in self._plan.claims)

    def _overall(self, found: Verdicts) -> tuple[str, str]:
        counts: dict[str, int] = {}
        for verdict in found.claims.values():
            counts[verdict.verdict] = counts.get(verdict.verdict, 0) + 1
        told = ", ".join(f"{number} {word}" for word, number in sorted(counts.items())) or "no finding"
        if self._original is None and self._all is None:
            return "environment", self._results.problem or "nothing was run"
        if self._original is not None and self._original.core_passed:
            limits = [one.step for one in self._original.failures]
            beyond = f"all but: {', '.join(str(one) for one in limits)}" if limits else "every step passed"
            return "works", f"{beyond}; {told}"
        sufficient = {
            None: "",
            True: "; all fixes together are enough",
            False: "; all fixes together are not enough",
        }
        summary = told + sufficient[found.all_sufficient]
        if counts.get("confirmed") or counts.get("silent-confirmed"):
            return "drift", summary
        if found.outside:
            return "outside", f"stopped by {found.outside[0]}"
        if found.consumer_bugs and not found.missed:
            return "consumer-bug", found.consumer_bugs[0]
        return "fails", summary


def _note(texts: list[str], text: str) -> None:
    if text not in texts:
        texts.append(text)


def _worse(better: Attempt, other: Attempt) -> list[str]:
    """Where the other attempt does not do what the better one does, one line each."""
    found = []
    for step in better.steps:
        status = other.step(step.name)
        if step.status == "passed" and status != "passed":
            failure = next((one for one in other.failures if one.step == step.name), other.first_failure)
            found.append(f"{step.name}: {failure.headline if failure else status}")
    return found


def _harm(before: Attempt, after: Attempt) -> str | None:
    """Says where an added fix spoils a step that was right."""
    for step in before.steps:
        if step.status == "passed" and after.step(step.name) in ("differs", "failed"):
            return f"{step.name} was right without it and is not with it"
    return None
