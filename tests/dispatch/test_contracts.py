"""Contracts are refused where they cannot be meant, and fail where a release does not bear them out."""

from pathlib import Path

import pytest

from driftcheck.engine.contracts import verify, verify_in
from driftcheck.rulesdb import RulesError, rules_roots
from driftcheck.rulesdb.contracts import KINDS, Contracts, Default, Dispatch, load_contracts

from .conftest import tree

DISPATCH = """
[[dispatch]]
id = "gantry-call-all"
library = "gantry"
versions = ">=1,<3"
methods = ["gantry.Pool.call_all"]
targets = ["gantry.Crane"]
evidence = ["gantry.Pool.call_all", "gantry.Crane.lift"]
reason = "The name crosses a queue."
"""

GANTRY = """
from dataclasses import dataclass


class Crane:
    def lift(self, load):
        return load


class Pool:
    def call_all(self, method, args=(), kwargs=None):
        return []


@dataclass
class Config:
    speed: int = 3
    helper: str = ""
"""


def written(directory: Path, text: str, name: str = "gantry") -> tuple[Path, ...]:
    file = directory / name / "contracts.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return (directory,)


def test_a_contract_is_loaded_with_its_kind(tmp_path):
    (contract,) = load_contracts(written(tmp_path, DISPATCH))
    assert isinstance(contract, Dispatch)
    assert contract.kind == "dispatch"
    assert (contract.name, contract.args, contract.kwargs) == ("method", "args", "kwargs")


@pytest.mark.parametrize(
    ("version", "holds"), [("0.9", False), ("1", True), ("2.9rc1", True), ("3.0", False), (None, True)]
)
def test_versions_decide_where_it_holds(tmp_path, version, holds):
    contracts = load_contracts(written(tmp_path, DISPATCH))
    assert bool(contracts.for_release("Gantry", version)) is holds
    assert not contracts.for_release("crane", version)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('evidence = ["gantry.Pool.call_all", "gantry.Crane.lift"]', "evidence = []", "evidence is empty"),
        ('reason = "The name crosses a queue."', 'reason = " "', "reason is empty"),
        ('versions = ">=1,<3"', 'versions = "1 to 3"', "versions"),
        ('targets = ["gantry.Crane"]', 'target = ["gantry.Crane"]', "did you mean 'targets'"),
        ("[[dispatch]]", "[[despatch]]", "allowed: dispatch"),
        ('reason = "The name crosses a queue."', "", "reason"),
        ('reason = "The name crosses a queue."', 'reason = "so"\nresult = "tuple"', "tuple"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_file_and_key(tmp_path, old, new, says):
    assert old in DISPATCH
    with pytest.raises(RulesError) as error:
        load_contracts(written(tmp_path, DISPATCH.replace(old, new)))
    assert str(tmp_path / "gantry" / "contracts.toml") in str(error.value)
    assert says in str(error.value)


def test_two_contracts_of_one_id_are_refused(tmp_path):
    with pytest.raises(RulesError, match="already"):
        load_contracts(written(tmp_path, DISPATCH + DISPATCH))


@pytest.mark.parametrize("extra", ["", "value = 3\nabsent = true"])
def test_a_default_states_exactly_one_value(tmp_path, extra):
    text = f"""
[[default]]
id = "d"
library = "gantry"
field = "gantry.Config.speed"
failure = "it falls"
evidence = ["gantry.Config"]
reason = "so"
{extra}
"""
    with pytest.raises(RulesError, match="exactly one of value and absent"):
        load_contracts(written(tmp_path, text))


def verified(
    tmp_path: Path, text: str, source: str = GANTRY, version: str = "2"
) -> dict[str, tuple[bool, tuple[str, ...]]]:
    provider = tree("gantry", version, {"gantry/__init__.py": source})
    return {r.contract.id: (r.applies, r.problems) for r in verify_in(provider, written(tmp_path, text))}


def test_a_contract_that_holds(tmp_path):
    assert verified(tmp_path, DISPATCH) == {"gantry-call-all": (True, ())}


def test_a_contract_on_other_releases_is_not_asked(tmp_path):
    assert verified(tmp_path, DISPATCH, "", "4") == {"gantry-call-all": (False, ())}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def lift", "def hoist", "evidence: there is no gantry.Crane.lift"),
        ("class Crane", "class Derrick", "targets: there is no class gantry.Crane"),
        (
            "def call_all(self, method, args",
            "def call_all(self, task, args",
            "gantry.Pool.call_all has no parameter method",
        ),
        ("def call_all", "def call", "methods: there is no function, method or class gantry.Pool.call_all"),
    ],
)
def test_a_contract_that_the_source_does_not_bear_out(tmp_path, old, new, says):
    assert old in GANTRY
    applies, problems = verified(tmp_path, DISPATCH, GANTRY.replace(old, new))["gantry-call-all"]
    assert applies
    assert any(says in problem for problem in problems), problems


DEFAULT = """
[[default]]
id = "speed"
library = "gantry"
field = "gantry.Config.speed"
value = 3
failure = "it falls"
evidence = ["gantry.Config.speed"]
reason = "so"
"""


@pytest.mark.parametrize(
    ("written_default", "holds"),
    [("3", True), ("4", False), ("1 + 2", True), ("field(default=3)", True), ("None", False)],
)
def test_a_default_is_compared_as_a_value(tmp_path, written_default, holds):
    source = GANTRY.replace("import dataclass", "import dataclass, field").replace(
        "speed: int = 3", f"speed: int = {written_default}"
    )
    _, problems = verified(tmp_path, DEFAULT, source)["speed"]
    assert (not problems) is holds, problems


CLASS_PATH = """
[[class_path]]
id = "helper"
library = "gantry"
parameter = "gantry.Config.helper"
into = ["gantry.Crane"]
evidence = ["gantry.Config.helper"]
reason = "so"
"""


def test_a_class_path_needs_its_parameter(tmp_path):
    assert verified(tmp_path, CLASS_PATH)["helper"] == (True, ())
    _, problems = verified(tmp_path, CLASS_PATH, GANTRY.replace("helper", "aide"))["helper"]
    assert any("takes no helper" in problem for problem in problems)


def test_every_kind_has_a_table_and_the_packaged_ones_load():
    contracts = load_contracts(rules_roots())
    assert {one.kind for one in contracts} <= set(KINDS)
    assert len(contracts.of(Default)) <= 6
    assert isinstance(contracts, Contracts)


def test_no_contract_names_a_consumer():
    for one in load_contracts(rules_roots()):
        symbols = [*one.evidence]
        for key in ("methods", "targets", "into", "at", "reaches"):
            symbols += getattr(one, key, ())
        assert {symbol.partition(".")[0] for symbol in symbols} == {one.library.replace("-", "_")}, one.id


@pytest.mark.network
@pytest.mark.parametrize("version", ["0.11.0", "0.16.0", "0.33.0"])
def test_the_packaged_contracts_hold_on_real_releases(release, version):
    results = verify(release(f"vllm=={version}", role="provider"))
    assert [r.contract.id for r in results if r.applies]
    assert {r.contract.id: r.problems for r in results if r.problems} == {}


@pytest.mark.network
def test_the_command_verifies(run_cli):
    done = run_cli("rules", "verify", "--against", "vllm==0.16.0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "dispatch vllm-collective-rpc: holds" in done.stdout
    assert "does not apply (" in done.stdout
