"""speculators 0.3.0 and 0.4.0 on five vLLM releases: what is true is found, and nothing else is shown."""

import json
from collections import Counter

import pytest
from corpus.session import describe, shown
from truth.table import (
    CONSUMERS,
    DRIFTS,
    EXTRA,
    KNOWN_GOOD,
    PENDING,
    TARGETS,
    WORKER,
    expected,
    is_pending,
    rows,
    verdicts,
)

pytestmark = pytest.mark.network

CELLS = [(consumer, target) for consumer in CONSUMERS for target in TARGETS]
CLEAN = [
    ("speculators==0.3.0", "0.11.0"),
    ("speculators==0.4.0", "0.12.0"),
    ("speculators==0.4.0", "0.16.0"),
]
# Findings about packaging and about the run itself are no rows of the table.
OUTSIDE = ("DC5", "DC9")


def cell_report(report, consumer: str, target: str):
    return report(consumer, f"vllm=={target}", f"vllm=={KNOWN_GOOD[consumer]}")


def version_of(spec: str) -> str:
    return spec.partition("==")[2]


def found(expectation, findings, consumer: str) -> bool:
    matching = [f for f in findings if expectation.satisfied_by(f, version_of(consumer))]
    if expectation.related:
        matching = [f for f in matching if any(r.line in expectation.related for r in f.related)]
    return bool(matching)


@pytest.mark.parametrize(("consumer", "target"), CELLS)
def test_every_drift_is_found(report, consumer, target):
    findings = cell_report(report, consumer, target).findings
    missed = [
        f"{drift_id}: {'/'.join(e.codes)} at {e.path}:{e.lines[version_of(consumer)]}, {e.severity}, "
        f"{e.at_least} to {e.at_most}{', saying ' + e.says if e.says else ''}"
        for drift_id, expectations in expected(consumer, target).items()
        if not is_pending(drift_id, target)
        for e in expectations
        if e.demanded and not found(e, findings, consumer)
    ]
    assert not missed, "missed:\n  " + "\n  ".join(missed) + "\nfound:\n" + describe(findings)


@pytest.mark.parametrize(("consumer", "target"), CELLS)
def test_nothing_else_is_shown(report, consumer, target):
    allowed = [e for expectations in expected(consumer, target).values() for e in expectations]
    unexplained = [
        finding
        for finding in shown(cell_report(report, consumer, target))
        if not finding.code.startswith(OUTSIDE)
        and not any(e.matches(finding, version_of(consumer)) for e in allowed)
    ]
    assert not unexplained, "shown, but not true:\n" + describe(unexplained)


@pytest.mark.parametrize(("consumer", "target"), CELLS)
def test_one_use_gives_one_finding(report, consumer, target):
    findings = cell_report(report, consumer, target).findings
    places = Counter((f.path, f.line, f.column, f.code, f.symbol) for f in findings)
    twice = [place for place, count in places.items() if count > 1]
    assert not twice
    assert findings == sorted(findings, key=lambda f: f.order)


@pytest.mark.parametrize(("consumer", "target"), CELLS)
def test_status_compares_with_known_good(report, consumer, target):
    """A drift of the table that is found holds on known-good, so the target introduced it."""
    true_before = verdicts(consumer, KNOWN_GOOD[consumer])
    wrong = [
        finding
        for drift_id, expectations in expected(consumer, target).items()
        if drift_id not in true_before
        for e in expectations
        for finding in cell_report(report, consumer, target).findings
        if e.satisfied_by(finding, version_of(consumer)) and finding.status != "introduced"
    ]
    assert not wrong, describe(wrong)


@pytest.mark.parametrize(("consumer", "target"), CLEAN)
def test_a_pair_that_works_is_clean(report, consumer, target):
    assert shown(cell_report(report, consumer, target)) == []


@pytest.mark.parametrize(("consumer", "target"), CLEAN)
def test_a_pair_that_works_exits_0(run_cli, consumer, target):
    done = run_cli("check", consumer, "--against", f"vllm=={target}", "--output-format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["findings"] == []
    assert answer["known_good"]["version"] == KNOWN_GOOD[consumer]


@pytest.mark.parametrize("target", ["0.12.0", "0.16.0"])
def test_an_attribute_of_the_only_runner_is_not_even_possible_drift(report, findings_at, target):
    found = cell_report(report, "speculators==0.4.0", target)
    assert not findings_at(found, WORKER, 106)


def test_a_pair_that_breaks_exits_1(run_cli):
    done = run_cli("check", "speculators==0.3.0", "--against", "vllm==0.16.0", "--output-format", "json")
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"] == "driftcheck/1"
    assert answer["known_good"]["version"] == "0.11.0"
    assert {f["line"] for f in answer["findings"] if f["code"] in ("DC201", "DC202")} >= {139, 148, 194}


def test_every_drift_of_the_data_has_an_expectation():
    named = {row["drift_id"] for row in rows() if row["drift_id"]}
    named |= {drift_id for extra in EXTRA.values() for drift_id in extra}
    assert named == set(DRIFTS)
    assert {entry.partition("@")[0] for entry in PENDING} <= named


def test_pending_names_only_what_is_not_found_yet(report):
    """A drift that is found wherever it is demanded must leave PENDING, so that it stays found."""
    demanded: dict[str, list[bool]] = {}
    for consumer, target in CELLS:
        findings = cell_report(report, consumer, target).findings
        for drift_id, expectations in expected(consumer, target).items():
            entry = drift_id if drift_id in PENDING else f"{drift_id}@{target}"
            if entry in PENDING:
                demanded.setdefault(entry, []).extend(
                    found(e, findings, consumer) for e in expectations if e.demanded
                )
    implemented = sorted(entry for entry, hits in demanded.items() if hits and all(hits))
    assert not implemented, "remove from PENDING: " + ", ".join(implemented)
