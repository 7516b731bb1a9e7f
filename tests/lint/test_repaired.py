"""What only known-good breaks: reported as ``fixed``, counted in words, and never failing a run."""

from __future__ import annotations

import pytest
from lint.project import Project


@pytest.fixture
def upgraded(project: Project) -> Project:
    """A project that needs gantry's new version; what it calls is checked against the old one too."""
    project.package(
        "new/gantry", "def lift(load, fast=True): ...\ndef lower(load, rope): ...\ndef turn(): ...\n"
    )
    project.package("old/gantry", "def lift(load): ...\ndef lower(load): ...\n")
    return project


def statuses(project: Project) -> list[tuple[str, int, str]]:
    return [(one["code"], one["line"], one["status"]) for one in project.report()["findings"]]


def test_a_break_that_the_target_has_not(upgraded: Project, capsys: pytest.CaptureFixture[str]) -> None:
    report = upgraded.report()
    (one,) = report["findings"]
    assert (one["code"], one["line"], one["status"]) == ("DC201", 5, "fixed")
    assert one["fix"] is None
    assert one["evidence"]
    assert report["summary"]["fixed"] == 1
    assert "error" not in report["summary"]
    assert upgraded.check() == 0
    said = capsys.readouterr().out
    assert "DC201" not in said
    assert "No drift" in said
    assert "1 use broken there and not here" in said
    assert upgraded.check("--fail-on", "DC2") == 0


def test_a_baseline_does_not_hold_it(upgraded: Project, capsys: pytest.CaptureFixture[str]) -> None:
    upgraded.check("--write-baseline", "drift.baseline")
    assert "0 findings written" in capsys.readouterr().err


def test_another_defect_of_the_same_use_is_no_repair_of_that(upgraded: Project) -> None:
    upgraded.user.write_text("from gantry import lower\n\nlower('crate')\n")
    assert statuses(upgraded) == [("DC202", 3, "introduced")]
    upgraded.user.write_text("from gantry import lower\n\nlower('crate', rope='new')\n")
    assert statuses(upgraded) == [("DC201", 3, "fixed")]
    upgraded.user.write_text("from gantry import turn\n\nturn()\n")
    assert statuses(upgraded) == [("DC102", 1, "fixed")]


def test_what_the_target_cannot_say_is_not_repaired(upgraded: Project) -> None:
    """The call's callee is gone: of its keyword nothing is known there."""
    upgraded.package("new/gantry", "def lower(load): ...\n")
    assert statuses(upgraded) == [("DC102", 1, "introduced")]


def test_what_does_not_run_on_the_target_is_not_repaired(upgraded: Project) -> None:
    upgraded.user.write_text(
        "import gantry\n\nif hasattr(gantry, 'turn'):\n    pass\nelse:\n    gantry.lift('crate', fast=True)\n"
    )
    assert statuses(upgraded) == []


def test_a_suppression_of_it_is_used(upgraded: Project) -> None:
    upgraded.user.write_text("from gantry import lift\n\nlift('crate', fast=True)  # drift: ignore[DC201]\n")
    assert statuses(upgraded) == [("DC201", 3, "fixed")]
