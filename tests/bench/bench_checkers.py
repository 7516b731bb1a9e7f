#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""driftcheck against ty, pyrefly, mypy and pyright on one pair of releases: wall time, memory, what each finds.

    python -m venv /tmp/checkers && /tmp/checkers/bin/pip install ty pyrefly mypy pyright pydantic
    python tests/bench/bench_checkers.py --tools /tmp/checkers/bin --runs 5

The same files are given to each: those of the consumer that mention the provider. The provider's sources
are on every search path, and the environment of --tools is the one that third parties are looked up in.
The runs alternate, so that a busy machine slows all alike; the ratios are of medians. What counts as
found are the drifts of the truth table (tests/truth) that the pair must give: an error of a tool on one of
their lines or elsewhere in the same statement, each error for one drift. Prints a Markdown table; not collected by pytest.
"""

import argparse
import ast
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench_check import MYPY_FLAGS, Run, Series, driftcheck_command, timed, unpack

Place = tuple[str, int]
LINE = re.compile(r"(?P<path>[\w./-]+\.py):(?P<line>\d+)(?::\d+)?")


@dataclass
class Contender:
    """A tool in one mode: how it is run, what happens between runs, and where its answer names lines."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    before: Callable[[], None] = lambda: None
    errors: Callable[[str], list[Place]] | None = None
    series: Series = field(default_factory=lambda: Series(""))

    def run(self, directory: Path) -> None:
        self.before()
        self.series.runs.append(timed(self.command, self.environment, cwd=directory))

    @property
    def last(self) -> Run:
        return self.series.runs[-1]


def places(output: str, error: re.Pattern[str] | None = None) -> list[Place]:
    """The lines that a tool's text names, of those rows that match ``error``."""
    found: list[Place] = []
    for row in output.splitlines():
        match = LINE.search(row)
        if match and (error is None or error.search(row)):
            found.append((match["path"], int(match["line"])))
    return found


def pyright_places(output: str) -> list[Place]:
    try:
        rows = json.loads(output[output.index("{") :])["generalDiagnostics"]
    except (ValueError, KeyError):
        return []
    return [(row["file"], row["range"]["start"]["line"] + 1) for row in rows if row["severity"] == "error"]


def truth(consumer: str, target: str) -> dict[str, list[Place]]:
    """The drifts that must be found on a pair, each with the lines that would do; empty for other pairs."""
    from truth.table import expected

    version = consumer.partition("==")[2]
    try:
        drifts = expected(consumer, target.partition("==")[2])
    except (KeyError, StopIteration):
        return {}
    found: dict[str, list[Place]] = {}
    for drift, expectations in drifts.items():
        wanted = [one for one in expectations if one.demanded]
        lines = [(one.path, line) for one in wanted for line in one.lines.get(version, ())]
        if lines:
            found[drift] = lines
    return found


def count(drifts: dict[str, list[Place]], said: list[Place], statements: dict[str, list[range]]) -> int:
    """How many drifts some error is about; an error is about one drift."""
    left = list(said)
    found = 0
    for lines in drifts.values():
        meant = [(path, around(line, statements.get(path, []))) for path, line in lines]
        hit = next(
            (one for one in left for path, rows in meant if one[0].endswith(path) and one[1] in rows), None
        )
        if hit is not None:
            left.remove(hit)
            found += 1
    return found


def around(line: int, statements: list[range]) -> range:
    """The smallest statement that a line is in."""
    return min((one for one in statements if line in one), key=len, default=range(line, line + 1))


def statements_of(consumer: Path) -> dict[str, list[range]]:
    """The lines of every statement of the consumer, by file."""
    found: dict[str, list[range]] = {}
    for file in consumer.rglob("*.py"):
        nodes = ast.walk(ast.parse(file.read_bytes()))
        found[file.relative_to(consumer).as_posix()] = [
            range(node.lineno, (node.end_lineno or node.lineno) + 1)
            for node in nodes
            if isinstance(node, ast.stmt)
        ]
    return found


def contenders(
    asked: argparse.Namespace, scratch: Path, consumer: Path, provider: Path, files: list[str]
) -> list[Contender]:
    """Every tool that is there, in each mode."""
    command = shlex.split(asked.driftcheck) if asked.driftcheck else driftcheck_command()
    check = [*command, "check", asked.consumer, "--against", asked.against]
    check += ["--output-format", "concise"]
    found = [
        Contender("driftcheck, cold", [*check, "--no-cache"], errors=places),
        Contender("driftcheck, warm", check, errors=places),
    ]
    tools = asked.tools
    python = str(tools / "python")
    paths = [str(scratch / file) for file in files]
    if (tools / "ty").exists():
        search = [word for place in (consumer, provider) for word in ("--extra-search-path", str(place))]
        command = [
            str(tools / "ty"),
            "check",
            "--output-format",
            "concise",
            "--python",
            python,
            *search,
            *paths,
        ]
        found.append(Contender("ty", command, errors=lambda text: places(text, re.compile(r"\berror\["))))
    if (tools / "pyrefly").exists():
        command = [str(tools / "pyrefly"), "check", "--output-format", "min-text"]
        command += ["--python-interpreter-path", python]
        command += [f"--search-path={place}" for place in (consumer, provider)]
        found.append(
            Contender("pyrefly", [*command, *paths], errors=lambda text: places(text, re.compile("ERROR")))
        )
    if (tools / "mypy").exists():
        cache = scratch / "mypy-cache"
        flags = [flag for flag in MYPY_FLAGS if flag not in ("--no-incremental", "--cache-dir=/dev/null")]
        command = [str(tools / "mypy"), *flags, "--python-executable", python]
        environment = {"MYPYPATH": os.pathsep.join((str(consumer), str(provider)))}
        error = re.compile(r": error:")
        for mode, more in (("cold", ["--cache-dir=/dev/null"]), ("warm", [f"--cache-dir={cache}"])):
            found.append(
                Contender(
                    f"mypy, {mode}",
                    [*command, *more, *paths],
                    environment,
                    errors=lambda text: places(text, error),
                )
            )
    if (tools / "pyright").exists():
        settings = {
            "include": files,
            "extraPaths": [str(consumer), str(provider)],
            "venvPath": str(tools.parent.parent),
        }
        settings["venv"] = tools.parent.name
        (scratch / "pyrightconfig.json").write_text(json.dumps(settings))
        command = [str(tools / "pyright"), "--outputjson", "-p", str(scratch)]
        found.append(Contender("pyright", command, errors=pyright_places))
    return found


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="driftcheck against type checkers on one pair of releases.")
    parser.add_argument("consumer", nargs="?", default="speculators==0.3.0")
    parser.add_argument("--against", default="vllm==0.16.0")
    parser.add_argument("--tools", type=Path, required=True, help="the bin directory that has the others")
    parser.add_argument("--driftcheck", help="the command to measure; default: this environment's")
    parser.add_argument("--only", help="a regular expression of the tools to run")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print each tool's last answer to standard error")
    return parser.parse_args()


def main() -> int:
    asked = parse_arguments()
    asked.tools = asked.tools.absolute()
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory).resolve()
        consumer = unpack(asked.consumer, "consumer", scratch / "consumer")
        provider = unpack(asked.against, "provider", scratch / "provider")
        name = asked.against.partition("==")[0].encode()
        word = re.compile(rb"\b" + re.escape(name) + rb"\b")
        files = sorted(
            path.relative_to(scratch).as_posix()
            for path in consumer.rglob("*.py")
            if word.search(path.read_bytes())
        )
        entrants = contenders(asked, scratch, consumer, provider, files)
        wanted = re.compile(f"driftcheck, warm|{asked.only or ''}")
        entrants = [one for one in entrants if wanted.search(one.name)]
        for one in entrants:
            one.run(scratch)  # fetches, fills the page cache and the warm caches; not counted
            one.series.runs.clear()
        for _ in range(asked.runs):
            for one in entrants:
                one.run(scratch)
        report(asked, entrants, len(files), statements_of(consumer))
    return 0


def report(
    asked: argparse.Namespace, entrants: list[Contender], files: int, statements: dict[str, list[range]]
) -> None:
    drifts = truth(asked.consumer, asked.against)
    warm = next(one for one in entrants if one.name == "driftcheck, warm").series.median
    print(f"{asked.consumer} on {asked.against}, {files} files, median of {asked.runs} alternating runs\n")
    print("| | seconds | driftcheck warm is | peak MB | drifts found | errors reported |")
    print("| --- | --- | --- | --- | --- | --- |")
    for one in entrants:
        said = one.errors(one.last.output) if one.errors else []
        found = f"{count(drifts, said, statements)} of {len(drifts)}" if drifts else "–"
        ratio = f"{warm / one.series.median:.2f}×"
        print(
            f"| {one.name} | {one.series.median:.2f} | {ratio} | {one.series.peak:.0f} | {found} | {len(said)} |"
        )
        if asked.show:
            print(f"== {one.name}: exit {one.last.status}\n{one.last.output[-3000:]}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
