"""The stages: original, all fixes, the chain, the ablation, and what could stand in for a fix."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from .attempts import Bench
from .environment import EnvironmentProblem
from .mapping import behavioural, signature
from .outcome import Attempt, Failure
from .plan import STAGES, Fix, Plan
from .results import ChainLink
from .session import OutOfBudget, Session, Stopped


def run_stages(session: Session, stages: list[str], jobs: int, known_good: Bench | None = None) -> None:
    """Carries the stages out and leaves every attempt and the chain in the session's results.

    Raises EnvironmentProblem, OutOfBudget or Stopped where it ends before its end.
    """
    plan = session.bench.plan
    if plan.sanity is not None:
        sound = session.attempt([], "sanity", drive=plan.sanity)
        if sound.status != "passed":
            failure = sound.first_failure
            why = failure.headline if failure else sound.problem or sound.status
            raise EnvironmentProblem(f"{plan.sanity.name} does not work here: {why}")
    work: list[Callable[[], object]] = []
    if known_good is not None:
        work.append(lambda: session.attempt([], "known-good", bench=known_good))
    if "original" in stages or "chain" in stages:
        work.append(lambda: session.attempt([], "original"))
    if "all" in stages or "ablation" in stages:
        work.append(lambda: session.attempt(all_fixes(plan), "all fixes"))
    _together(work, jobs)
    original = session.results.with_fixes([])
    if original is not None and original.status == "passed":
        return  # it works as it stands: there is nothing to take apart
    work = []
    if "ablation" in stages:
        work += [_ablation(session, fix) for fix in plan.cures if len(plan.cures) > 1]
    if "alternatives" in stages:
        work += [_alternative(session, fix) for fix in plan.alternatives]
    if "chain" in stages:
        work.insert(0, lambda: chain(session))
    _together(work, jobs)


def parse_stages(text: str) -> list[str]:
    """The stages that a comma-separated list names, in their own order; raises ValueError."""
    wanted = {part.strip() for part in text.split(",") if part.strip()}
    unknown = wanted - set(STAGES)
    if unknown or not wanted:
        raise ValueError(f"no stage {', '.join(sorted(unknown)) or 'given'}; there are {', '.join(STAGES)}")
    return [stage for stage in STAGES if stage in wanted]


def all_fixes(plan: Plan) -> list[str]:
    """The ids of all fixes proper."""
    return [fix.id for fix in plan.cures]


def without(plan: Plan, fix: Fix) -> list[str]:
    """The ids of all fixes but one."""
    return [one.id for one in plan.cures if one.id != fix.id]


def instead(plan: Plan, fix: Fix) -> list[str]:
    """The ids of all fixes, with one replaced by what could stand in for it."""
    return [one.id for one in plan.cures if one.id != fix.instead_of] + [fix.id]


def _ablation(session: Session, fix: Fix) -> Callable[[], object]:
    return lambda: session.attempt(without(session.bench.plan, fix), f"all but {fix.id}")


def _alternative(session: Session, fix: Fix) -> Callable[[], object]:
    return lambda: session.attempt(instead(session.bench.plan, fix), f"{fix.id} instead of {fix.instead_of}")


def _together(work: list[Callable[[], object]], jobs: int) -> None:
    """Does the work in order, side by side where jobs allow; the first thing that ended it is raised."""
    if jobs == 1:
        for piece in work:
            piece()
        return
    with ThreadPoolExecutor(jobs + 1) as pool:
        futures: list[Future[object]] = [pool.submit(piece) for piece in work]
        problems = [problem for problem in (future.exception() for future in futures) if problem is not None]
    for kind in (Stopped, EnvironmentProblem, OutOfBudget):
        for problem in problems:
            if isinstance(problem, kind):
                raise problem
    for problem in problems:
        raise problem


def chain(session: Session) -> None:
    """Adds fixes one at a time as failures strike, until nothing fails any more or nothing helps."""
    session.results.chain = links = []
    applied: list[str] = []
    current = session.attempt([], "original")
    while current.status != "passed":
        failure = current.first_failure
        if failure is None:
            return
        link = ChainLink(current.id, failure.headline, list(failure.claims))
        links.append(link)
        following = _add_one(session, link, failure, applied, current)
        session.save()
        if following is None:
            return
        current = following
    links.append(ChainLink(current.id, "", by="none", removed=None))
    session.save()


def _add_one(
    session: Session, link: ChainLink, failure: Failure, applied: list[str], current: Attempt
) -> Attempt | None:
    """The attempt with one fix more that no longer fails as before; None where none helps."""
    plan = session.bench.plan
    for fix, by in _candidates(plan, failure, applied, current):
        label = f"chain +{fix.id}" if by == "mapping" else f"trial +{fix.id}"
        following = session.attempt([*applied, fix.id], label)
        if removed(plan, current, following):
            applied.append(fix.id)
            link.fix, link.by, link.removed = fix.id, by, True
            return following
        link.tried.append(fix.id)
    link.by, link.removed = ("mapping" if failure.claims else "none"), False
    return None


def _candidates(plan: Plan, failure: Failure, applied: list[str], current: Attempt) -> list[tuple[Fix, str]]:
    """Fixes to add next: those of the claims that explain the failure, then the others by their chances."""
    left = [fix for fix in plan.cures if fix.id not in applied]
    mapped = [fix for claim in failure.claims for fix in left if claim in fix.claims]
    chosen = list({fix.id: fix for fix in mapped}.values())
    if failure.claims and not chosen:
        return []  # what failed is known, and nothing repairs it
    others = [fix for fix in left if fix not in chosen]
    silent = failure.kind == "differs"

    def chances(fix: Fix) -> tuple[bool, bool]:
        claims = [plan.claim(identity) for identity in fix.claims]
        unreached = bool(claims) and all(claim.id not in current.reached for claim in claims)
        return (unreached, silent != any(behavioural(claim) for claim in claims))

    return [(fix, "mapping") for fix in chosen] + [(fix, "trial") for fix in sorted(others, key=chances)]


def removed(plan: Plan, before: Attempt, after: Attempt) -> bool:
    """Whether what struck first before no longer does, and nothing strikes earlier instead."""
    failure, other = before.first_failure, after.first_failure
    if failure is None or after.status in ("conflict", "interrupted"):
        return False
    if other is None:
        return after.status == "passed"
    place, other_place = _position(plan, before, failure), _position(plan, after, other)
    if place != other_place:
        return other_place > place
    if failure.kind == "differs" or signature(failure) == signature(other):
        return False
    return not set(after.reached) < set(before.reached)


def _position(plan: Plan, attempt: Attempt, failure: Failure) -> int:
    if failure.step is None:
        return -1
    names = [step.name for step in plan.scenario.steps] or [step.name for step in attempt.steps]
    return names.index(failure.step) if failure.step in names else len(names)
