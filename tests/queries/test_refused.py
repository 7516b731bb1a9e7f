"""What ``audit``, ``show`` and ``impact`` refuse, in one line and with which status."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from sources.making import write

from driftcheck.cli.app import app
from driftcheck.queries.audit import AuditRequest, audit
from driftcheck.queries.choosing import choose
from driftcheck.queries.impact import ImpactRequest, impact
from driftcheck.sources import SourceError
from driftcheck.sources.lists import Release


def refused(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(args))
    return result.exit_code, result.stderr.strip()


def asked(*args: str) -> tuple[int, str]:
    return refused("audit", "dock==1.0", "--provider", "gantry", *args)


def test_ends_the_wrong_way_round(dock: Path) -> None:
    status, said = asked("--from", "2.0", "--to", "1.1")
    assert status == 2 and "--from 2.0 is newer than --to 1.1" in said and "\n" not in said
    given = ("show", "gantry.hoist.lift", "--in", "gantry==2.0", "--from", "2.0", "--to", "1.1")
    status, said = refused(*given)
    assert status == 2 and "--from 2.0 is newer than --to 1.1" in said and "\n" not in said


def test_one_release_at_both_ends() -> None:
    assert choose([Release("1.0"), Release("1.1")], "1.1", "1.1").versions == ("1.1",)


def test_a_known_good_newer_than_the_end_is_no_end(dock: Path) -> None:
    report = audit(AuditRequest("dock==1.0", "gantry", known_good="2.0", last="1.1"))
    assert [one.version for one in report.releases] == ["1.1", "2.0"]


def test_a_known_good_that_is_none(dock: Path) -> None:
    status, said = asked("--known-good", "zz")
    assert status == 2 and "--known-good zz: no version" in said
    for more in ((), ("--from", "1.0")):
        status, said = asked("--known-good", "99", *more)
        assert status == 3 and "no release of gantry fits ==99" in said and "\n" not in said


@pytest.mark.parametrize("provider", ["", "gantry==1.0", "./gantry"])
def test_a_provider_is_a_name(dock: Path, provider: str) -> None:
    status, said = refused("audit", "dock==1.0", "--provider", provider)
    assert status == 2 and "--provider takes a name" in said and "\n" not in said


def test_an_end_that_is_no_tree_of_the_provider(dock: Path, tmp_path: Path) -> None:
    status, said = asked("--to", "./nothere")
    assert status == 3 and "no such file or directory: ./nothere" in said
    (tmp_path / "notes.txt").write_text("x")
    status, said = asked("--to", "./notes.txt")
    assert status == 2 and "\n" not in said
    write(tmp_path / "tree", {"other/__init__.py": "", "other/hoist.py": "x = 1\n"})
    status, said = asked("--to", "./tree")
    assert status == 3 and "./tree holds no gantry" in said and "\n" not in said
    with pytest.raises(SourceError, match=r"\./tree holds no gantry"):
        impact(ImpactRequest("gantry", "1.2", "./tree", ("dock==1.0",), jobs=1))


def test_an_end_that_is_a_tree_of_the_provider(dock: Path, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"gantry/__init__.py": "", "gantry/hoist.py": "def lift(load): ...\n"})
    report = audit(AuditRequest("dock==1.0", "gantry", first="1.2", known_good="1.2", last="./tree"))
    assert report.releases[-1].error is None
    found = impact(ImpactRequest("gantry", "1.2", "./tree", ("dock==1.0",), jobs=1))
    assert found.breaks


def test_a_consumer_of_which_no_file_can_be_read(dock: Path, project, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    place = Path(project("from gantry.hoist import lift\ndef (:\n"))
    (place / "__init__.py").write_text("import gantry\nclass\n")
    status, said = refused("audit", str(place), "--provider", "gantry", "--from", "1.2")
    assert status == 3 and "no file could be read: " in said and "\n" not in said
    (broken, fine) = impact(
        ImpactRequest("gantry", "1.2", "2.0", (str(place), "dock==1.0"), jobs=1)
    ).consumers[::-1]
    assert broken.error is not None and broken.error.startswith("no file could be read: ")
    assert fine.error is None
    (tmp_path / "list.txt").write_text(f"{place}\n")
    ends = ("--from", "1.2", "--to", "2.0", "--jobs", "1")
    status, said = refused("impact", "--provider", "gantry", *ends, "--consumers", str(tmp_path / "list.txt"))
    assert status == 3 and "no file could be read: " in said


def test_a_consumer_with_one_file_that_can_be_read(dock: Path, project) -> None:  # type: ignore[no-untyped-def]
    place = Path(project("from gantry.hoist import lift\n\nlift(1, speed=2)\n"))
    (place / "worse.py").write_text("import gantry\nclass\n")
    report = audit(AuditRequest(str(place), "gantry", first="1.2", known_good="1.2"))
    assert any(row.code == "DC201" for row in report.rows)
    (only,) = impact(ImpactRequest("gantry", "1.2", "2.0", (str(place),), jobs=1)).consumers
    assert only.error is None and only.breaks == 1
