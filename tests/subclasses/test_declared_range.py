"""The declared range against what was found on the releases that it admits."""

from driftcheck.engine.declared import admitted, too_wide
from driftcheck.model import Finding
from driftcheck.rulesdb import load_codes
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
