"""The declared range against what was found on the releases that it admits."""

import json
from dataclasses import replace

import pytest

from driftcheck.engine.declared import admitted, not_admitted, too_wide
from driftcheck.engine.options import CheckOptions
from driftcheck.engine.ranges import range_findings
from driftcheck.model import Finding
from driftcheck.rulesdb import load_codes
from driftcheck.sources.errors import SourceError
from driftcheck.sources.lists import Release
from driftcheck.sources.tree import MemoryFiles, Tree

PROJECT = b'[project]\nname = "dock"\ndependencies = [\n    "gantry>=1.2,<3",\n]\n'


def consumer(*requires: str) -> Tree:
    return Tree(
        spec="dock",
        files=MemoryFiles({"dock/__init__.py": b"", "pyproject.toml": PROJECT}),
        packages=("dock",),
        name="dock",
        requires=requires,
    )


def finding(severity="error", confidence="certain", status="introduced") -> Finding:
    return Finding(
        code="DC103", name="missing-attribute", severity=severity, confidence=confidence, status=status,
        path="dock/__init__.py", line=3, column=1, end_line=3, end_column=5, symbol="gantry.Crane.lift",
        message="Crane has no attribute lift",
    )  # fmt: skip


def test_releases_that_a_range_admits():
    tree = consumer("gantry>=1.2,<3", "rope>=1")
    assert admitted(tree, "gantry", ["3.0", "2.0", "1.10", "1.2", "1.1", "2.5rc1", "odd"]) == [
        "1.2",
        "1.10",
        "2.0",
    ]


def test_a_release_with_a_certain_error():
    found = too_wide(
        consumer("gantry>=1.2,<3"),
        "gantry",
        {"1.2": [], "2.0": [finding()], "2.1": [finding()], "3.0": [finding()]},
        load_codes(),
    )
    assert [(f.code, f.path, f.line, f.severity) for f in found] == [
        ("DC501", "pyproject.toml", 4, "warning")
    ]
    assert "2.0, 2.1" in found[0].message and "3.0" not in found[0].message
    assert "gantry.Crane.lift" in found[0].message
    assert [r.line for r in found[0].related] == [3, 3]


def test_what_is_not_certain_or_no_error_says_nothing():
    weak = [finding(severity="warning"), finding(confidence="likely"), finding(status="fixed")]
    assert not too_wide(consumer("gantry>=1.2,<3"), "gantry", {"2.0": weak}, load_codes())
    assert not too_wide(consumer("gantry"), "gantry", {"2.0": [finding()]}, load_codes())
    assert not too_wide(consumer("rope>=1"), "gantry", {"2.0": [finding()]}, load_codes())


USER = b"from gantry import Crane\n\nCrane().lift()\n"
LIFT = b"class Crane:\n    def lift(self):\n        return 1\n"


def gantry(version: str) -> Tree:
    text = LIFT if version < "2" else b"class Crane:\n    pass\n"
    return Tree(
        spec=f"gantry=={version}",
        files=MemoryFiles({"gantry/__init__.py": text}),
        packages=("gantry",),
        name="gantry",
        version=version,
    )


def opened(spec: str) -> Tree:
    version = spec.partition("==")[2]
    if version == "1.9":
        raise SourceError("no files")
    return gantry(version)


def asked(tree: Tree) -> tuple[list[Finding], list[str]]:
    """What every release says of the range, and the warnings."""
    files = {"dock/__init__.py": USER, "pyproject.toml": PROJECT}
    tree = replace(tree, files=MemoryFiles(files))
    offered = [Release(v, yanked=v == "2.2") for v in ("1.0", "1.2", "1.9", "2.0", "2.2", "2.5rc1", "3.0")]
    warnings: list[str] = []
    options = CheckOptions(use_cache=False)
    found = range_findings(
        tree, "gantry", offered, opened, options, load_codes(), lambda stage: None, warnings
    )
    return found, warnings


def test_every_admitted_release_is_looked_at():
    found, warnings = asked(consumer("gantry>=1.2,<3"))
    assert [(f.code, f.line) for f in found] == [("DC501", 4)]
    assert "admits 2.0, where" in found[0].message
    assert [r.message.partition(":")[0] for r in found[0].related] == ["2.0"]
    assert warnings == ["--ranges: gantry 1.9 was not looked at: no files"]


def test_a_range_that_admits_what_works_and_none_at_all():
    found, _ = asked(consumer("gantry>=1.0,<1.5"))
    assert not found
    assert asked(consumer("gantry")) == ([], ["--ranges: dock declares no range of gantry"])


def test_what_the_consumer_itself_requires_is_said_where_it_leaves_the_target_out():
    assert not_admitted(consumer("gantry>=1.2,<3"), gantry("3.1")) == "gantry<3,>=1.2"
    assert not_admitted(consumer("gantry>=1.2,<3"), gantry("2.0")) == ""
    assert not_admitted(consumer("gantry"), gantry("2.0")) == ""
    lines = ('gantry<2; extra == "a"', 'gantry>=3; extra == "b"')
    assert not_admitted(consumer(*lines), gantry("2.5")) == "gantry<2 or gantry>=3"
    assert not_admitted(consumer(*lines), gantry("3.5")) == ""


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "target", "broken"),
    [
        ("speculators==0.3.0", "0.11.0", set()),
        ("speculators==0.4.0", "0.16.0", set()),
        ("hs-connectors==0.9.0", "0.22.1", set()),
        ("arctic-inference==0.1.2", "0.11.0", {"vllm==0.9.2", "vllm==0.11.0"}),
    ],
)
def test_real_ranges(run_cli, tmp_path, spec, target, broken):
    report = tmp_path / "report.json"
    arguments = ("--against", f"vllm=={target}", "--ranges", "--output-file", f"json:{report}")
    done = run_cli("check", spec, *arguments, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    found = [f for f in json.loads(report.read_text())["findings"] if f["code"] == "DC501"]
    assert {f["message"].partition(" ")[0] for f in found} == broken, found
    assert ("declares no range of vllm" in done.stderr) is spec.startswith("hs-connectors")
