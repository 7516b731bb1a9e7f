"""``audit`` over the releases of a small provider: states, ranges, plan, forecast, formats, exits."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from driftcheck.cli.app import app
from driftcheck.queries.audit import AuditRequest, audit
from driftcheck.queries.lanes import examine_all
from driftcheck.queries.structs import AuditReport, ReleaseResult, Row

VERSIONS = ["1.0", "1.1", "1.2", "2.0", "2.1"]


def row_of(report: AuditReport, code: str) -> Row:
    (row,) = [row for row in report.rows if row.code == code]
    return row


def audited(consumer: str, **more: object) -> AuditReport:
    return audit(AuditRequest(consumer, "gantry", **more))  # type: ignore[arg-type]


def test_a_keyword_that_was_gone_for_one_release(dock: Path) -> None:
    report = audited("dock==1.0", first="1.0", known_good="1.0")
    assert [column.version for column in report.releases] == VERSIONS
    speed = row_of(report, "DC201")
    assert speed.states == ["holds", "holds", "holds", "breaks", "holds"]
    assert (speed.since, speed.repaired, speed.returned) == ("2.0", "2.1", None)
    reach = row_of(report, "DC202")
    assert reach.states == ["holds", "holds", "holds", "holds", "breaks"]
    assert reach.since == "2.1" and reach.repaired is None
    assert [entry.shape for entry in reach.history] == ["Crane(name)", "Crane(name, reach)"]


def test_ranges_beside_what_is_declared(dock: Path) -> None:
    report = audited("dock==1.0", first="1.0", known_good="1.0")
    assert report.range.verified == ">=1.0,<2.0"
    assert report.range.declared in ("<=2.0,>=1.0", ">=1.0,<=2.0")
    assert report.range.too_wide == ["2.0"]
    assert report.range.others == []
    assert [column.verified for column in report.releases] == [True, True, True, False, False]
    said = [column.declared_range for column in report.releases]
    assert said[:3] == [None, None, None] and said[4] is None
    assert said[3] is not None and "admits 2.0, where" in said[3] and "(DC201)" in said[3]


def test_what_each_repair_adds(dock: Path) -> None:
    report = audited("dock==1.0", first="1.0", known_good="1.0")
    rows = {row.id: row.code for row in report.rows}
    steps = [([rows[key] for key in step.rows], step.adds, step.specifier) for step in report.plan]
    assert steps == [(["DC201"], ["2.0"], ">=1.0,<2.1"), (["DC202"], ["2.1"], ">=1.0")]


def test_known_good_comes_from_the_metadata_and_begins_the_audit(dock: Path) -> None:
    report = audited("dock==1.0")
    assert report.known_good is not None and report.known_good.version == "2.0"
    assert [column.version for column in report.releases] == ["2.0", "2.1"]
    # What is broken on known-good too is nobody's drift.
    assert row_of(report, "DC201").limits is False
    assert report.releases[0].verified


def test_a_keyword_that_lived_in_one_release_only(project) -> None:  # type: ignore[no-untyped-def]
    consumer = project("from gantry.hoist import lift\n\nlift(1, slack=2)\n")
    report = audited(consumer, first="1.0", known_good="1.2")
    assert row_of(report, "DC201").states == ["breaks", "breaks", "holds", "breaks", "breaks"]
    assert report.range.verified == ">=1.2,<2.0"


def test_without_a_known_good_the_newest_that_holds_is_assumed(project) -> None:  # type: ignore[no-untyped-def]
    consumer = project("from gantry.hoist import Crane\n\nCrane('north', 3)\n")
    report = audited(consumer)
    assert report.known_good_assumed and report.known_good is not None and report.known_good.version == "2.1"
    assert (report.range.verified, report.range.proposed) == ("==2.1", ">=2.1")


def test_promises_and_whether_they_were_kept(project) -> None:  # type: ignore[no-untyped-def]
    consumer = project("from gantry.hoist import winch\n\nwinch()\n")
    report = audited(consumer, first="1.0", known_good="1.0")
    (promise,) = {
        (p.first, p.last, p.removal, p.outcome, p.removed) for p in report.forecast if p.outcome == "kept"
    }
    assert promise == ("1.1", "2.0", "2.1", "kept", "2.1")


def test_prereleases_only_where_asked_for(dock: Path) -> None:
    report = audited("dock==1.0", first="2.0")
    assert report.skipped == ["2.2b1 (pre-release)"]
    assert audited("dock==1.0", first="2.0", prereleases=True).releases[-1].version == "2.2b1"


def test_what_was_worked_out_is_taken_from_the_cache(dock: Path, tmp_path: Path) -> None:
    first = audited("dock==1.0", first="1.0", known_good="1.0")
    stages: list[str] = []
    again = audit(AuditRequest("dock==1.0", "gantry", first="1.0", known_good="1.0"), stages.append)
    assert msgspec.json.encode(again) == msgspec.json.encode(first)
    assert not [stage for stage in stages if stage.startswith(("checking", "examin"))]


def test_a_changed_consumer_is_not_answered_from_the_cache(project) -> None:  # type: ignore[no-untyped-def]
    consumer = project("from gantry.hoist import lift\n\nlift(1, slack=2)\n")
    assert row_of(audited(consumer, first="1.0", known_good="1.2"), "DC201")
    Path(consumer, "loading.py").write_text("from gantry.hoist import lift\n\nlift(1)\n")
    assert not [row for row in audited(consumer, first="1.0", known_good="1.2").rows if row.code]


def test_one_process_and_two_agree(dock: Path) -> None:
    one, two = (
        audited("dock==1.0", first="1.0", known_good="1.0", use_cache=False, processes=n) for n in (1, 2)
    )
    assert msgspec.json.encode(one) == msgspec.json.encode(two)


def test_a_release_that_cannot_be_examined_does_not_stop_the_others() -> None:
    def work(version: str) -> ReleaseResult:
        if version == "2":
            raise ValueError("odd")
        return ReleaseResult(version)

    for lanes in (1, 2):
        found = examine_all(["1", "2", "3"], work, lambda version: None, lanes)
        assert {version: one.error for version, one in found.items()} == {
            "1": None,
            "2": "ValueError: odd",
            "3": None,
        }


def test_a_process_that_dies_is_told() -> None:
    def work(version: str) -> ReleaseResult:
        if version == "1":
            import os

            os._exit(9)
        return ReleaseResult(version)

    found = examine_all(["1", "2", "3"], work, lambda version: None, 2)
    assert found["1"].error and found["2"].error is None and found["3"].error is None


def test_suppressed_findings_limit_nothing(project) -> None:  # type: ignore[no-untyped-def]
    consumer = project("from gantry.hoist import lift\n\nlift(1, speed=2)  # drift: ignore[DC201] known\n")
    report = audited(consumer, first="1.0", known_good="1.0")
    assert report.range.verified == ">=1.0,<=2.1" and not [row for row in report.rows if row.code]


def test_the_command_in_every_format(dock: Path, tmp_path: Path) -> None:
    base = ["audit", "dock==1.0", "--provider", "gantry", "--from", "1.0", "--known-good", "1.0"]
    text = CliRunner().invoke(app, [*base, "--html", "page.html"])
    assert text.exit_code == 1, text.output
    assert "verified  gantry>=1.0,<2.0" in text.output
    assert "fix this one and the range reaches 2.0" in text.output
    assert all(len(line) <= 120 for line in text.output.splitlines())
    page = Path("page.html").read_text()
    targets = re.findall(r'\b(?:src|href|action|data)="([^"]*)"', page)
    assert targets and all(one.startswith(("#r-", "https://github.com/")) for one in targets)
    assert "url(" not in page and "@import" not in page
    json = CliRunner().invoke(app, [*base, "--output-format", "json"])
    assert msgspec.json.decode(json.output, type=AuditReport).schema == "driftcheck-audit/1"
    markdown = CliRunner().invoke(app, [*base, "--output-format", "markdown"])
    assert "| verified | `gantry>=1.0,<2.0` |" in markdown.output
    fine = CliRunner().invoke(app, [*base, "--to", "1.2"])
    assert fine.exit_code == 0, fine.output


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--from", "9"], 3, "there is no such release"),
        (["--from", "one"], 2, "no version"),
        (["--to", "1.05"], 3, "there is no such release"),
    ],
)
def test_requests_that_cannot_be_met(dock: Path, arguments: list[str], status: int, said: str) -> None:
    result = CliRunner().invoke(app, ["audit", "dock==1.0", "--provider", "gantry", *arguments])
    assert result.exit_code == status and said in result.output
