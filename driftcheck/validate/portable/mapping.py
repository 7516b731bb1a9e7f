"""From a failure to the claims that foretold it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .outcome import Failure, Frame, Raised
from .plan import Claim, Plan

# What each kind of drift raises, by the first base class that fits; codes not listed may raise anything.
_RAISES = {
    "DC101": ("ImportError",),
    "DC102": ("ImportError", "AttributeError"),
    "DC103": ("AttributeError",),
    "DC104": ("TypeError", "AttributeError"),
    "DC105": ("ImportError", "AttributeError", "ValueError", "KeyError"),
    "DC106": ("AttributeError", "ImportError"),
    "DC201": ("TypeError", "ValueError"),
    "DC202": ("TypeError", "ValueError"),
    "DC203": ("TypeError",),
    "DC205": ("TypeError", "AttributeError", "ValueError"),
    "DC206": ("TypeError", "ValueError"),
    "DC301": ("TypeError",),
    "DC302": ("TypeError", "NotImplementedError"),
    "DC304": ("TypeError",),
    "DC402": ("RuntimeError", "ValueError"),
    "DC403": ("TypeError", "AttributeError"),
    "DC404": ("TypeError", "AttributeError"),
    "DC408": ("AttributeError", "KeyError", "ValueError"),
}
# Silent kinds: what an exception says does not name them, and a difference from the oracle may.
_BEHAVIOUR = ("DC303", "DC204", "DC401", "DC403", "DC405", "DC406", "DC407", "DC409")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ENOUGH = 4  # the claim's own statement alone, or the innermost line that it says it strikes at


def map_failure(
    failure: Failure, plan: Plan, applied: Iterable[str], reached: Iterable[str] = ()
) -> list[str]:
    """The claims that explain the failure, the likeliest first; empty where none does.

    Claims whose fix was already applied do not count. A difference from the oracle is mapped to nothing
    here: only comparing attempts shows what it comes from.
    """
    if failure.kind == "differs":
        return []
    done = {claim for identity in applied for claim in _claims_of(plan, identity)}
    reached = set(reached)
    scored = []
    for claim in plan.claims:
        if claim.id not in done:
            score = max((_score(claim, one) for one in failure.raised), default=0)
            if score >= _ENOUGH:
                scored.append((-score, claim.id not in reached, claim.id))
    scored.sort()
    if not scored:
        return []
    # What is much less likely than the best is not an explanation beside it.
    return [identity for score, _, identity in scored if score <= scored[0][0] + 2]


def _claims_of(plan: Plan, identity: str) -> list[str]:
    fix = plan.fix(identity)
    return plan.fix(fix.instead_of).claims if fix.instead_of else fix.claims


def _score(claim: Claim, raised: Raised) -> int:
    place = _place_score(claim, raised.frames)
    names = _names_score(claim, raised.message)
    kinds = _RAISES.get(claim.code)
    fits = kinds is None or any(base in kinds for base in [*raised.bases, raised.type.rpartition(".")[2]])
    if not fits and not (place and names):
        return 0
    if not place and names < 3:
        return 0
    # A kind of drift that names what is missing must be named by the message.
    if kinds is not None and claim.code[:3] in ("DC1", "DC2") and not names:
        return 0
    return place + names + (1 if fits and kinds is not None else 0)


def _place_score(claim: Claim, frames: list[Frame]) -> int:
    """How near the traceback comes to the claim: its own statement most, a related line less."""
    best = 0
    own = [frame for frame in frames if frame.role == "consumer"]
    for depth, frame in enumerate(reversed(own)):
        near = 4 if depth == 0 else 2
        if frame.path == claim.path and claim.first_line <= (frame.line or 0) <= claim.last_line:
            best = max(best, near + 1)
        elif any(frame.path == one.path and frame.line == one.line for one in claim.related):
            best = max(best, near)
    # Where it strikes may be told by the provider's own frame, if that is where the symbol lives.
    return best


def _names_score(claim: Claim, message: str) -> int:
    """How much of what the claim names is in the message: the symbol's last name most."""
    words = set(_WORD.findall(message))
    last = claim.symbol.rpartition(".")[2]
    quoted = {
        part for text in re.findall(r"[`'\"]([^`'\"]+)[`'\"]", claim.message) for part in _WORD.findall(text)
    }
    score = 3 if last in words else 0
    if (quoted & words) - {last}:
        score += 2 if score == 0 else 1
    return score


def outside_of(failure: Failure, plan: Plan) -> str | None:
    """The distribution that a failure comes from, where neither provider nor consumer takes part in its end.

    That is so when the innermost frames are another distribution's and no frame is the provider's.
    """
    if failure.kind != "exception" or not failure.raised:
        return None
    frames = [frame for one in failure.raised for frame in one.frames]
    if any(frame.role == "provider" for frame in frames):
        return None
    missing = _absent(failure.raised[0], plan)
    if missing is not None:
        return missing
    for frame in reversed(failure.raised[0].frames):
        if frame.role == "library":
            return frame.distribution or frame.path.partition("/")[0]
        if frame.role != "stdlib":
            break
    return None


def _absent(raised: Raised, plan: Plan) -> str | None:
    """The distribution in which an import looked for what is not there."""
    top = (raised.module or "").partition(".")[0]
    own = {plan.provider.module.partition(".")[0], *plan.consumer.packages, ""}
    return None if top in own else top


def behavioural(claim: Claim) -> bool:
    """Whether the claim is of a kind that can strike without an exception."""
    return claim.code in _BEHAVIOUR or claim.severity == "warning"


def signature(failure: Failure | None) -> tuple[object, ...] | None:
    """Tells failures apart: the step, what was raised, and the innermost line of the consumer."""
    if failure is None:
        return None
    if failure.kind != "exception" or not failure.raised:
        return (failure.kind, failure.step)
    frames = [frame for one in failure.raised for frame in one.frames if frame.role == "consumer"]
    place = (frames[-1].path, frames[-1].line) if frames else None
    first = failure.raised[0]
    return (failure.kind, failure.step, first.type, re.sub(r"\d+", "#", first.message)[:200], place)
