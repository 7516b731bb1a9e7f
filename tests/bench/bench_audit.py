#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""Cold and warm time, memory, and what each further release costs, of one audit.

    python tests/bench/bench_audit.py                       # speculators 0.3.0, the 24 newest finals
    python tests/bench/bench_audit.py --count 36 --in-turn

Sources are fetched and unpacked before anything is timed; every cold run starts with an empty result
cache. ``--in-turn`` examines the releases in this process, one after the other, and prints for each its
processor seconds and the definitions parsed whose text no earlier release had. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from driftcheck.engine.options import CheckOptions
from driftcheck.engine.session import load_rules, run_version
from driftcheck.index.outline import Item
from driftcheck.index.source import Source
from driftcheck.queries.release import result_of
from driftcheck.sources import cache_root, open_tree, releases


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--consumer", default="speculators==0.3.0")
    parser.add_argument("--provider", default="vllm")
    parser.add_argument("--known-good", default="0.11.0")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--in-turn", action="store_true")
    asked = parser.parse_args()
    finals = [one.version for one in releases(asked.provider) if not one.prerelease and not one.yanked]
    versions = finals[-asked.count :]
    for version in [asked.known_good, *versions]:
        open_tree(f"{asked.provider}=={version}", role="provider")
    if asked.in_turn:
        in_turn(asked.consumer, asked.provider, asked.known_good, versions)
    else:
        whole(asked.consumer, asked.provider, asked.known_good, versions[0])
    return 0


def whole(consumer: str, provider: str, known_good: str, first: str) -> None:
    """The command, cold and then warm, in processes of its own with a result cache of its own."""
    with tempfile.TemporaryDirectory() as place:
        cache = Path(place, "cache")
        cache.mkdir()
        (cache / "sources").symlink_to(cache_root() / "sources")
        environment = {**os.environ, "DRIFTCHECK_CACHE_DIR": str(cache)}
        command = [sys.executable, "-m", "driftcheck.cli", "audit", consumer, "--provider", provider]
        command += ["--from", first, "--known-good", known_good, "--exit-zero", "--output-file", os.devnull]
        for label in ("cold", "warm"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            began = time.perf_counter()
            subprocess.run(command, env=environment, check=True)
            seconds = time.perf_counter() - began
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            peak = after.ru_maxrss / 1024
            print(f"{label}: {seconds:.1f} s, {used:.1f} processor s, largest process so far {peak:.0f} MB")
        shutil.rmtree(cache / "results", ignore_errors=True)


def in_turn(consumer: str, provider: str, known_good: str, versions: list[str]) -> None:
    """One process, release by release: what the next one costs, and how much of it is new."""
    seen: set[bytes] = set()
    fresh = [0]
    plain = Source.parse

    def counted(self: Source, item: Item):  # type: ignore[no-untyped-def]
        digest = hashlib.blake2b(self.text[item.start : item.end].encode(), digest_size=12).digest()
        fresh[0] += digest not in seen
        seen.add(digest)
        return plain(self, item)

    Source.parse = counted  # type: ignore[method-assign]
    gc.disable()
    rules = load_rules(CheckOptions(use_cache=False))
    tree = open_tree(consumer, role="consumer")
    before = beside = None
    costs: list[float] = []
    for version in [known_good, *(one for one in versions if one != known_good)]:
        fresh[0] = 0
        began = time.process_time()
        other = open_tree(f"{provider}=={version}", role="provider")
        run = run_version(tree, other, rules, before=before, beside=beside)
        result = result_of(run, before, rules)
        costs.append(time.process_time() - began)
        print(
            f"{version:9} {costs[-1]:6.2f} s  {fresh[0]:5} new definitions  {len(result.findings)} findings"
        )
        if before is not None:
            beside = run.view.world.provider
            beside.set_aside()
        before = before or run
        del run
        gc.collect()
    print(f"first {costs[0]:.2f} s, a further one {sum(costs[1:]) / max(len(costs) - 1, 1):.2f} s on average")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
