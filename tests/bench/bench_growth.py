#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""How time and memory grow with the consumer, its uses, the releases and the provider; printed and drawn.

    python tests/bench/bench_growth.py --picture growth.png
    python tests/bench/bench_growth.py --only uses provider

Each point is a run in a process of its own with caches set aside: processor seconds and peak memory, the
smallest of ``--runs``. Consumers and the provider of the last row are generated; the other provider is a
real release. The picture needs matplotlib (extra ``bench``). Not collected by pytest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROVIDER = "vllm==0.16.0"
CONSUMER = "speculators==0.3.0"
KNOWN_GOOD = "0.11.0"
SIZES = {
    "files": (1, 3, 10, 30, 100, 300, 1000),
    "uses": (1, 10, 30, 100, 300, 1000),
    "releases": (1, 2, 4, 8, 16, 24),
    "provider": (10, 30, 100, 300, 1000, 3000),
}
UNITS = {
    "files": "files of the consumer, one of ten using the provider",
    "uses": "functions that use the provider, in one file",
    "releases": "releases audited",
    "provider": "modules of the provider, one of them used",
}
MEASURE = """
import json, resource, sys
from driftcheck.cli import main
status = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
below = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime + below.ru_utime + below.ru_stime
print(json.dumps([status, seconds, max(used.ru_maxrss, below.ru_maxrss) / 1024]), file=sys.stderr)
"""
USE = '''
def run_{n}(prompts):
    """Sentences, one for each prompt."""
    llm = LLM(model="m", max_model_len={n} + 512)
    params = SamplingParams(temperature=0.5, max_tokens={n} + 1)
    return [one.outputs[0].text for one in llm.generate(prompts, params)]
'''
PLAIN = '''
def area_{n}(width, height):
    """Square metres."""
    return width * height + {n}
'''


@dataclass
class Point:
    size: int
    seconds: float
    megabytes: float


def consumer_of(root: Path, files: int, uses: int) -> list[str]:
    """A package of ``files`` modules; one of ten has ``uses`` functions that use the real provider."""
    package = root / "dock"
    package.mkdir()
    for number in range(files):
        uses_it = number % 10 == 0
        body = "".join((USE if uses_it else PLAIN).format(n=n) for n in range(uses if uses_it else 20))
        head = "from vllm import LLM, SamplingParams\n" if uses_it else ""
        (package / ("__init__.py" if number == 0 else f"part_{number}.py")).write_text(head + body)
    return ["check", str(package), "--against", PROVIDER, "--known-good", KNOWN_GOOD]


def provider_of(root: Path, modules: int) -> list[str]:
    """A consumer of one module of a generated provider that has many."""
    for name in ("old", "new"):
        package = root / name / "gantry"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("from gantry.part_0 import Crane\n")
        for number in range(modules):
            methods = "".join(
                f"    def lift_{n}(self, load, fast=False):\n        return load * {n}\n" for n in range(60)
            )
            text = f"import gantry\n\n\nclass Crane:\n{methods}"
            (package / f"part_{number}.py").write_text(text)
    package = root / "user" / "dock"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from gantry import Crane\n\nCrane().lift_1(2, fast=True)\n")
    return ["check", str(package), "--against", str(root / "new"), "--known-good", str(root / "old")]


def command_of(kind: str, size: int, root: Path) -> list[str]:
    if kind == "files":
        return [*consumer_of(root, size, 5), "--no-cache"]
    if kind == "uses":
        return [*consumer_of(root, 1, size), "--no-cache"]
    if kind == "provider":
        return [*provider_of(root, size), "--no-cache"]
    span = ["--from", KNOWN_GOOD, "--to", finals()[size - 1], "--known-good", KNOWN_GOOD]
    return ["audit", CONSUMER, "--provider", "vllm", *span, "--no-cache", "--exit-zero"]


def finals() -> list[str]:
    """The final releases of the provider from known-good on: what an audit between two of them looks at."""
    from driftcheck.sources import releases

    found = [one.version for one in releases("vllm") if not one.prerelease and not one.yanked]
    return found[found.index(KNOWN_GOOD) :]


def measured(kind: str, size: int, runs: int) -> Point:
    """The smallest of some runs of one size. Raises RuntimeError where a run fails."""
    best = Point(size, float("inf"), float("inf"))
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-c", MEASURE, *command_of(kind, size, Path(place))]
        for _ in range(runs):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            status, seconds, megabytes = json.loads(done.stderr.strip().splitlines()[-1])
            if status not in (0, 1):
                raise RuntimeError(f"{' '.join(command[3:])}: exit status {status}\n{done.stderr}")
            best = Point(size, min(best.seconds, seconds), min(best.megabytes, megabytes))
    return best


def rows(kinds: list[str], runs: int) -> Iterator[tuple[str, list[Point]]]:
    for kind in kinds:
        print(f"\n{UNITS[kind]}")
        points = []
        for size in SIZES[kind]:
            points.append(measured(kind, size, runs))
            one = points[-1]
            print(f"{one.size:6} {one.seconds:7.2f} s {one.megabytes:6.0f} MB", flush=True)
        yield kind, points


def draw(found: dict[str, list[Point]], path: Path) -> None:
    """A panel a row, time and memory against size."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(found), figsize=(5 * len(found), 4), squeeze=False)
    for panel, (kind, points) in zip(panels[0], found.items(), strict=True):
        sizes = [one.size for one in points]
        panel.plot(sizes, [one.seconds for one in points], "o-", color="tab:blue")
        panel.set_xlabel(UNITS[kind])
        panel.set_ylabel("processor seconds", color="tab:blue")
        panel.set_ylim(bottom=0)
        memory = panel.twinx()
        memory.plot(sizes, [one.megabytes for one in points], "s--", color="tab:orange")
        memory.set_ylabel("peak MB", color="tab:orange")
        memory.set_ylim(bottom=0)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    found = dict(rows(given.only, given.runs))
    if given.picture:
        draw(found, given.picture)
        print(f"\ndrawn: {given.picture}")


if __name__ == "__main__":
    main()
