"""What a difference that all fixes leave says about a claim without a fix."""

from __future__ import annotations

import pytest

from driftcheck.validate.portable.outcome import Attempt, Failure, Frame, Raised, StepOutcome
from driftcheck.validate.portable.plan import Claim, Consumer, Drive, Edit, Fix, Plan, Provider, Step
from driftcheck.validate.portable.results import Results
from driftcheck.validate.portable.verdicts import judge

CLAIM = Claim("SILENT", "DC409", "app/a.py", 20, 20, 22, "lib.order", "order changed", confidence="likely")


def run_with(group: str, *, known_good: str | None = None) -> Results:
    """A run whose second step differs; ``known_good`` names the step that differs there too, if it was run."""
    steps = [Step("first"), Step("second", group=group)]
    plan = Plan(
        "0", Drive("s", "", "d.py", steps), Consumer("app", ["app"]), Provider("lib", ["lib"]), [CLAIM], []
    )
    failure = Failure("differs", "second", group, problems=["another order"])
    outcomes = [StepOutcome("first", "passed"), StepOutcome("second", "differs", group)]
    attempts = [Attempt("a", "s", [], "differs", steps=outcomes, failures=[failure], reached=["SILENT"])]
    if known_good is not None:
        failed = [Failure("differs", known_good, group, problems=["another order"])] if known_good else []
        attempts.append(Attempt("k", "s", [], "differs", failures=failed, on="known-good"))
    return Results(plan, "cpu", attempts=attempts)


@pytest.mark.parametrize(
    ("group", "known_good", "verdict"),
    [
        ("core", None, "silent-confirmed"),
        ("limits", "", "silent-confirmed"),
        ("limits", None, "refuted"),  # beyond ordinary use, and nobody ran known-good
        ("limits", "second", "refuted"),  # the same difference there
        ("core", "second", "masked"),
    ],
)
def test_left_over(group: str, known_good: str | None, verdict: str) -> None:
    assert judge(run_with(group, known_good=known_good)).claims["SILENT"].verdict == verdict


def test_a_failure_that_another_claim_s_fix_removes_confirms_that_claim_alone() -> None:
    near = Claim("NEAR", "DC405", "app/a.py", 10, 10, 10, "lib.run", "run() then finish()")
    also = Claim("ALSO", "DC409", "app/a.py", 20, 20, 22, "lib.run", "order changed", confidence="possible")
    plan = Plan(
        "0",
        Drive("s", "", "d.py", [Step("first")]),
        Consumer("app", ["app"]),
        Provider("lib", ["lib"]),
        [near, also],
        [Fix("finish", "", [Edit("app/a.py", 11, 1, 11, 1, "finish()\n")], ["NEAR"])],
    )
    raised = [Raised("RuntimeError", "run() before finish()", [Frame("consumer", "app/a.py", 10, "f")])]
    failure = Failure("exception", "first", raised=raised, claims=["NEAR", "ALSO"])
    before = Attempt("a", "s", [], "failed", steps=[StepOutcome("first", "failed")], failures=[failure])
    after = Attempt("b", "s", ["finish"], "passed", steps=[StepOutcome("first", "passed")], reached=["ALSO"])
    told = judge(Results(plan, "cpu", attempts=[before, after])).claims
    assert (told["NEAR"].verdict, told["ALSO"].verdict) == ("confirmed", "refuted")
