#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Draw findings to be judged by hand from the reports that big_consumers.py kept.

python tests/bench/sample_findings.py DIR                     60 certain ones with seed 1, as Markdown rows

At most three of one symbol in one consumer are drawn, so that a single cause cannot fill the sample; the same
drift seen on several targets counts for the first of them only.
"""

import argparse
import json
import random
from collections import Counter
from pathlib import Path


def certain(directory: Path) -> list[tuple[str, str, dict]]:
    """Every certain finding of every report as (consumer, target, finding), in one order on every machine."""
    found: list[tuple[str, str, dict]] = []
    seen: set[tuple] = set()
    for path in sorted(directory.glob("*.json")):
        report = json.loads(path.read_text())
        consumer, target = report["consumer"]["spec"], report["target"]["spec"]
        for finding in report["findings"]:
            place = (consumer, finding["path"], finding["line"], finding["column"], finding["code"])
            if finding["confidence"] == "certain" and finding["status"] != "fixed" and place not in seen:
                seen.add(place)
                found.append((consumer, target, finding))
    return found


def draw(rows: list[tuple[str, str, dict]], size: int, seed: int, most: int) -> list[tuple[str, str, dict]]:
    """A random sample with at most ``most`` of one (symbol, consumer)."""
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    taken: list[tuple[str, str, dict]] = []
    counts: Counter = Counter()
    for consumer, target, finding in shuffled:
        key = (finding["symbol"], consumer)
        if counts[key] < most and len(taken) < size:
            counts[key] += 1
            taken.append((consumer, target, finding))
    return taken


def row(number: int, consumer: str, target: str, finding: dict) -> str:
    """One row: both places, the message, and an empty cell for the verdict."""
    evidence = "; ".join(f"{e['version']} {e['path']}:{e['line']}" for e in finding["evidence"])
    place = f"{finding['path']}:{finding['line']}"
    message = finding["message"].replace("|", "\\|")
    return f"| {number} | {consumer} | {target} | {finding['code']} | {place} | {message} | {evidence} |  |"


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw findings to be judged by hand.")
    parser.add_argument("reports", type=Path)
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=3, help="of one symbol in one consumer")
    asked = parser.parse_args()
    rows = certain(asked.reports)
    sample = draw(rows, asked.size, asked.seed, asked.most)
    print(f"{len(sample)} of {len(rows)} certain findings, seed {asked.seed}\n")
    print("| # | consumer | target | code | place | message | evidence | verdict |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for number, (consumer, target, finding) in enumerate(sample, 1):
        print(row(number, consumer, target, finding))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
