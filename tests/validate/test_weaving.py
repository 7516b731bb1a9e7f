"""The fixtures scenario from beginning to end: real processes, a real worker, every kind of verdict."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from validate.conftest import MINI, weaving

from driftcheck.validate.portable.results import load_results
from driftcheck.validate.portable.verdicts import judge

EDITS = str(MINI / "edits.json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of all stages, run once."""
    directory = tmp_path_factory.mktemp("weaving")
    words = weaving("--edits", EDITS, "--results", "r.json", "--jobs", "3")
    done = subprocess.run(
        [sys.executable, "-m", "driftcheck.cli", "validate", *words],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(MINI / "provider-2")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return directory / "r.json"


def test_every_finding_has_its_verdict(whole: Path) -> None:
    results = load_results(whole)
    told = {identity: verdict.verdict for identity, verdict in results.verdicts.claims.items()}
    stated = {claim for fix in results.plan.fixes for claim in fix.claims}
    assert {identity: verdict for identity, verdict in told.items() if identity in stated} == {
        "DC103@cloth.py:8": "confirmed",  # raised in a worker, reported as text
        "DC201@cloth.py:17": "confirmed",
        "DC401@cloth.py:24": "confirmed",
        "DC406@cloth.py:15": "silent-confirmed",
        "DC201@cloth.py:28": "not-reached",
    }
    assert results.verdicts.overall == "drift"
    assert results.verdicts.missed == []


def test_every_fix_has_its_verdict(whole: Path) -> None:
    told = {identity: verdict.words for identity, verdict in load_results(whole).verdicts.fixes.items()}
    assert told == {
        "colour": ["necessary", "sufficient"],
        "spool": ["necessary", "sufficient"],
        "measure": ["necessary", "sufficient"],
        "reuse": ["necessary", "sufficient"],
        "mend": ["unproven"],
        "first-row": ["harmful", "insufficient"],
        "reuse-false": ["necessary", "sufficient"],
        "reuse-one": ["harmful", "insufficient"],
    }


def test_the_chain_follows_the_failures(whole: Path) -> None:
    links = load_results(whole).chain
    assert [(link.fix, link.by) for link in links[:-1]] == [
        ("colour", "mapping"),
        ("spool", "mapping"),
        ("measure", "mapping"),
        ("reuse", "trial"),
    ]
    assert links[-1].failure == ""


def test_the_worker_s_frame_is_found(whole: Path) -> None:
    results = load_results(whole)
    attempt = next(one for one in results.attempts if one.id == results.chain[1].attempt)
    parent, worker = attempt.failures[0].raised
    assert parent.type.endswith("WorkerError")
    assert [(frame.role, frame.path, frame.line) for frame in worker.frames][-1] == (
        "consumer",
        "weaver/cloth.py",
        8,
    )
    assert "DC103@cloth.py:8" in attempt.reached


def test_no_machine_path_is_kept(whole: Path) -> None:
    text = whole.read_text()
    for path in (str(Path.home()), str(MINI), str(whole.parent), sys.prefix, "/tmp/"):
        assert path not in text, path


def test_a_rerun_runs_nothing_again(whole: Path, validate: Callable, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(whole.read_text())
    again = validate(*weaving("--edits", EDITS, "--results", "r.json"))
    assert again.returncode == 1
    assert again.stderr == ""
    assert judge(load_results(tmp_path / "r.json")) == load_results(whole).verdicts


def test_another_plan_s_results_are_not_continued(whole: Path, validate: Callable, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(whole.read_text())
    other = validate(*weaving("--edits", EDITS, "--results", "r.json", "--set", "threads=4"))
    assert other.returncode == 2
    assert "another plan" in other.stderr


def test_the_analysis_own_fixes_repair_what_raises(validate: Callable, tmp_path: Path) -> None:
    done = validate(*weaving("--stages", "original,all", "--results", "r.json"))
    assert done.returncode == 1, done.stderr
    results = load_results(tmp_path / "r.json")
    with_all = results.with_fixes([fix.id for fix in results.plan.cures])
    assert with_all is not None
    assert {failure.kind for failure in with_all.failures} <= {"differs"}


def test_what_nothing_foretold_is_said_loudly(validate: Callable, tmp_path: Path) -> None:
    edits = json.loads(Path(EDITS).read_text())
    edits["fixes"] = [fix for fix in edits["fixes"] if fix["id"] in ("colour", "spool", "measure")]
    (tmp_path / "three.json").write_text(json.dumps(edits))
    done = validate(*weaving("--edits", "three.json", "--stages", "original,all"))
    assert done.returncode == 1, done.stderr
    assert "MISSED BY ANALYSIS: the same pattern again: cloth []" in done.stdout


def test_a_parameter_reaches_the_driver(validate: Callable, tmp_path: Path) -> None:
    words = weaving(
        "--set", "side_by_side=2", "--stages", "original", "--results", "r.json", against="provider-1"
    )
    done = validate(*words, provider="provider-1")
    assert done.returncode == 0, done.stdout + done.stderr
    results = load_results(tmp_path / "r.json")
    assert results.plan.scenario.parameters["side-by-side"] == "2"
    start = next(step for step in results.attempts[-1].steps if step.name == "start")
    assert start.figures == {"weavers": 2}
    assert "parameters: pause=0, side-by-side=2, threads=3" in done.stdout


def test_works_as_it_stands_on_known_good(validate: Callable) -> None:
    words = weaving(against="provider-1")
    done = validate(*words, provider="provider-1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "works as it stands" in done.stdout


def test_the_budget_ends_between_attempts(validate: Callable, tmp_path: Path) -> None:
    words = weaving("--edits", EDITS, "--results", "r.json", "--budget", "2.5", "--set", "pause=0.5")
    validate(*words)
    results = load_results(tmp_path / "r.json")
    assert results.state == "budget"
    assert 1 <= len(results.attempts) < 9
    done = validate(*[word for word in words if word not in ("--budget", "2.5")])
    assert done.returncode == 1
    after = load_results(tmp_path / "r.json")
    assert after.state == "complete"
    assert [one.id for one in after.attempts][: len(results.attempts)] == [one.id for one in results.attempts]


def test_interrupting_keeps_what_is_known(tmp_path: Path) -> None:
    words = weaving("--edits", EDITS, "--results", "r.json", "--set", "pause=30", "--stages", "all")
    process = subprocess.Popen(
        [sys.executable, "-m", "driftcheck.cli", "validate", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(MINI / "provider-2")},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("… all fixes"):
            break
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    value = json.loads((tmp_path / "r.json").read_text())
    assert value["state"] == "interrupted"
    assert [one["drive"] for one in value["attempts"]] == ["plain-loom"]
    assert left_behind(tmp_path) == []


def left_behind(directory: Path) -> list[str]:
    """Processes that still work for a run that was started in this directory."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"DRIFTCHECK_CALLER={directory}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found
