"""Exceptions mapped to the claims that foretold them."""

from __future__ import annotations

import pytest

from driftcheck.validate.portable.mapping import map_failure, outside_of, signature
from driftcheck.validate.portable.outcome import Failure, Frame, Raised
from driftcheck.validate.portable.plan import Claim, Consumer, Drive, Edit, Fix, Plan, Provider, Where

CLAIMS = [
    Claim("KW", "DC201", "app/a.py", 12, 10, 14, "lib.core.make.specs", "make() does not take specs"),
    Claim("ARG", "DC202", "app/a.py", 20, 20, 22, "lib.core.Plan.kind", "Plan() requires kind"),
    Claim("SILENT", "DC406", "app/a.py", 20, 20, 22, "lib.core.Plan.chunk", "chunk defaults to True"),
    Claim(
        "DEFAULT", "DC406", "app/a.py", 30, 30, 31, "lib.core.Cache.on", "on", related=[Where("app/a.py", 50)]
    ),
    Claim("ATTR", "DC103", "app/w.py", 5, 5, 5, "lib.model.Model.embed", "Model has no attribute embed"),
    Claim(
        "TRUTH", "DC402", "app/a.py", 60, 60, 61, "torch.Tensor.__bool__", "asks for the truth of a Tensor"
    ),
    Claim("PHASE", "DC405", "app/a.py", 51, 51, 51, "lib.exec.execute", "execute() then sample()"),
]
PLAN = Plan(
    "0",
    Drive("s", "", "d.py", []),
    Consumer("app", ["app"]),
    Provider("lib", ["lib"], "2"),
    CLAIMS,
    [Fix("fix-kw", "", [Edit("app/a.py", 12, 1, 13, 1, "")], ["KW"])],
)


def failure(kind: str, message: str, *frames: tuple[str, str, int], bases: tuple[str, ...] = ()) -> Failure:
    made = [Frame(role, path, line, "f") for role, path, line in frames]
    return Failure("exception", "step", raised=[Raised(kind, message, made, list(bases) or [kind])])


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (
            failure(
                "TypeError", "make() got an unexpected keyword argument 'specs'", ("consumer", "app/a.py", 10)
            ),
            ["KW"],
        ),
        (
            failure(
                "pydantic_core.ValidationError",
                "1 validation error for Plan\nkind\n  Field required",
                ("consumer", "app/a.py", 20),
                ("library", "pydantic/x.py", 1),
                bases=("ValidationError", "ValueError"),
            ),
            ["ARG"],
        ),
        # An assertion without a word: only the place tells, and the claim says it strikes there.
        (
            failure("AssertionError", "", ("consumer", "app/a.py", 50), ("provider", "lib/pool.py", 3)),
            ["DEFAULT"],
        ),
        (
            failure("RuntimeError", "Boolean value of Tensor is ambiguous", ("consumer", "app/a.py", 60)),
            ["TRUTH"],
        ),
        (failure("RuntimeError", "sample() must be called", ("consumer", "app/a.py", 51)), ["PHASE"]),
        # The right message elsewhere in the consumer is another defect of the same kind.
        (
            failure(
                "TypeError", "other() got an unexpected keyword argument 'x'", ("consumer", "app/a.py", 10)
            ),
            [],
        ),
        (failure("KeyError", "'z'", ("consumer", "app/a.py", 90)), []),
    ],
)
def test_mapping(one: Failure, expected: list[str]) -> None:
    assert map_failure(one, PLAN, []) == expected


def test_a_workers_frames_count() -> None:
    parent = Raised(
        "RuntimeError", "Worker failed: no attribute 'embed'", [Frame("consumer", "app/a.py", 51, "f")]
    )
    worker = Raised("AttributeError", "no attribute 'embed'", [Frame("consumer", "app/w.py", 5, "g")])
    assert map_failure(Failure("exception", "step", raised=[parent, worker]), PLAN, [])[0] == "ATTR"


def test_a_claim_whose_fix_was_made_does_not_explain() -> None:
    one = failure(
        "TypeError", "make() got an unexpected keyword argument 'specs'", ("consumer", "app/a.py", 10)
    )
    assert map_failure(one, PLAN, ["fix-kw"]) == []


def test_a_difference_is_not_mapped() -> None:
    assert map_failure(Failure("differs", "step", problems=["wrong"]), PLAN, []) == []


def test_outside() -> None:
    named = Frame("library", "models/config.py", 3, "f", distribution="models")
    inside = failure("NameError", "x", ("consumer", "app/a.py", 1))
    inside.raised[0].frames.append(named)
    assert outside_of(inside, PLAN) == "models"
    inside.raised[0].frames.insert(1, Frame("provider", "lib/x.py", 1, "f"))
    assert outside_of(inside, PLAN) is None
    gone = failure("ModuleNotFoundError", "No module named 'models.masks'", ("consumer", "app/a.py", 1))
    gone.raised[0].module = "models.masks"
    assert outside_of(gone, PLAN) == "models"
    gone.raised[0].module = "lib.masks"
    assert outside_of(gone, PLAN) is None


def test_signatures_tell_failures_apart() -> None:
    one = failure("TypeError", "took 3 s", ("consumer", "app/a.py", 10))
    same = failure("TypeError", "took 4 s", ("consumer", "app/a.py", 10))
    other = failure("TypeError", "took 4 s", ("consumer", "app/a.py", 11))
    assert signature(one) == signature(same) != signature(other)
