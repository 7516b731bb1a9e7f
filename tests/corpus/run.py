#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Run the corpus and print a table.

python tests/corpus/run.py                     every incident, idiom and pair
python tests/corpus/run.py I002 N04 P-trl      those whose id starts so
python tests/corpus/run.py --jobs 2 --failed   two at a time; only what fails
python tests/corpus/run.py --fetch             only fetch and unpack what the cases need
"""

import argparse
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.cases import PENDING, compatible_pairs, idioms, incidents
from corpus.judge import Outcome, judge
from corpus.session import release


def all_cases() -> dict:
    return {case.id: case for case in (*incidents(), *idioms(), *compatible_pairs())}


def run_one(case_id: str) -> tuple[str, Outcome, float]:
    started = time.perf_counter()
    try:
        outcome = judge(all_cases()[case_id])
    except Exception:
        outcome = Outcome(problems=["crashed: " + traceback.format_exc(limit=-4)])
    return case_id, outcome, time.perf_counter() - started


def trees_of(case) -> set[tuple[str, str]]:
    """What a case reads, as (spec, role)."""
    if hasattr(case, "worked"):
        consumers = [case.consumer, *([case.repaired] if case.repaired else [])]
        providers = [case.worked, case.broke]
    else:
        consumers, providers = [case.consumer], [case.target, *([case.known_good] if case.known_good else [])]
    return {(spec, "consumer") for spec in consumers} | {(spec, "provider") for spec in providers}


def run_all(case_ids: list[str], jobs: int) -> Iterator[tuple[str, Outcome, float]]:
    """Each case's outcome, in processes that end after a few: what one has read stays in its memory.

    Not by ``max_tasks_per_child``: with it the executor can wait for ever for a worker that has had its tasks.
    """
    share = 8 * jobs
    for start in range(0, len(case_ids), share):
        with ProcessPoolExecutor(max_workers=jobs) as pool:
            futures = [pool.submit(run_one, case_id) for case_id in case_ids[start : start + share]]
            yield from (future.result() for future in (as_completed(futures) if jobs > 1 else futures))


def fetch(cases) -> int:
    failed = 0
    for spec, role in sorted({tree for case in cases for tree in trees_of(case)}):
        started = time.perf_counter()
        try:
            tree = release(spec, role)
            said = f"{len(tree.python_files)} Python files"
        except Exception as error:
            said, failed = f"FAILED {type(error).__name__}: {error}", failed + 1
        print(f"{role:9} {spec:28} {time.perf_counter() - started:6.1f} s  {said}", flush=True)
    return 1 if failed else 0


def print_outcome(case, outcome: Outcome, seconds: float, only_failed: bool) -> bool:
    pending = case.id in PENDING
    verdict = "pass" if not outcome.problems else "pending" if pending else "FAIL"
    if verdict == "pass" and outcome.absent and len(outcome.absent) == len(case.refs):
        verdict = "absent"
    if not only_failed or verdict == "FAIL":
        target = getattr(case, "broke", None) or case.target
        print(f"{verdict:8} {case.id:22} {case.consumer:26} {target:14} {seconds:6.1f} s", flush=True)
        for line in [*outcome.problems, *(f"seen {line}" for line in outcome.seen)]:
            print(f"         {line}", flush=True)
    return verdict == "FAIL"


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the corpus and print a table.")
    parser.add_argument("ids", nargs="*", help="ids, or how they begin; all without any")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--failed", action="store_true", help="print only what fails")
    parser.add_argument("--fetch", action="store_true", help="fetch what the cases need, run nothing")
    asked = parser.parse_args()
    cases = {
        case_id: case
        for case_id, case in all_cases().items()
        if not asked.ids or any(case_id.startswith(wanted) for wanted in asked.ids)
    }
    if not cases:
        parser.error("no such case")
    if asked.fetch:
        return fetch(cases.values())
    failures = 0
    started = time.perf_counter()
    for case_id, outcome, seconds in run_all(list(cases), asked.jobs):
        failures += print_outcome(cases[case_id], outcome, seconds, asked.failed)
    print(f"{len(cases)} cases, {failures} failed, {time.perf_counter() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
