#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Check a pair of releases as it is and with its names replaced; print what differs.

python tests/renaming/run.py --seed 7 speculators==0.3.0 --against vllm==0.16.0 --known-good vllm==0.11.0
"""

import argparse
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.session import describe, release, report
from renaming.renamed import Renaming, essence, renamed_rules, renamed_tree
from renaming.words import renaming

from driftcheck.engine import CheckOptions, check
from driftcheck.model import Report
from driftcheck.rulesdb import roots


def check_renamed(consumer: str, target: str, known_good: str, new_names: Renaming, scratch: Path) -> Report:
    """The same check on renamed copies of both providers, the consumer and the rules."""
    rules = renamed_rules(roots.rules_root(), scratch / "rules", new_names)
    with rules_from(rules):
        return check(
            renamed_tree(release(consumer, "consumer"), new_names),
            renamed_tree(release(target, "provider"), new_names),
            renamed_tree(release(known_good, "provider"), new_names),
            options=CheckOptions(),
        )


@contextmanager
def rules_from(directory: Path):
    """Let the engine read its rules from another directory, wherever it has imported the finder."""
    original = roots.rules_root
    holders = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("driftcheck") and getattr(module, "rules_root", None) is original
    ]
    with mock.patch.multiple(roots, rules_root=lambda: directory):
        for module in holders:
            module.rules_root = roots.rules_root
        try:
            yield
        finally:
            for module in holders:
                module.rules_root = original


def differences(original: Report, other: Report, new_names: Renaming) -> list[str]:
    """What one report says and the other does not, in words."""
    wanted = {essence(f, new_names): f for f in original.findings}
    got = {essence(f): f for f in other.findings}
    lost = [finding for key, finding in wanted.items() if key not in got]
    new = [finding for key, finding in got.items() if key not in wanted]
    said = []
    if lost:
        said += ["under other names this is lost:", describe(lost)]
    if new:
        said += ["under other names this is new:", describe(new)]
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description="Check a pair as it is and with its names replaced.")
    parser.add_argument("consumer", nargs="?", default="speculators==0.3.0")
    parser.add_argument("--against", default="vllm==0.16.0")
    parser.add_argument("--known-good", default="vllm==0.11.0")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    new_names = Renaming(renaming(asked.seed))
    started = time.perf_counter()
    original = report(asked.consumer, asked.against, asked.known_good)
    between = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        other = check_renamed(asked.consumer, asked.against, asked.known_good, new_names, Path(scratch))
    print(f"{len(new_names.table)} words, seed {asked.seed}")
    print(f"as it is:  {len(original.findings):3} findings, {between - started:.1f} s")
    print(f"renamed:   {len(other.findings):3} findings, {time.perf_counter() - between:.1f} s")
    wrong = differences(original, other, new_names)
    print("\n".join(wrong) or "the same findings but for the names")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
