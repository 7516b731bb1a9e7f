#!/usr/bin/env python
# ruff: noqa: T201  (a script that prints)
"""A test of the tests: a fixed sample of mutants of the analysis, each against the tests that run its line.

    python tests/bench/mutants.py --count 300 --seed 1 --jobs 2 --results mutants.jsonl

One small change at a time in checks/, infer/ or fixes/ (a comparison turned, a branch always taken, a
constant off by one, a statement left out …), made in a copy of the package. First every test is run once
under coverage, which tells what tests run which line; a mutant is run against those, at most ``--cap`` of
them, and is killed by the first that fails or by a time-out. A mutant that no test runs has survived.
A rerun with the same results file goes on where the last one stopped. Not collected by pytest.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

HERE = Path(__file__).resolve().parents[2]
ROOMS = ("checks", "infer", "fixes")
TESTS = (
    "tests/test_rule_pages.py", "tests/behaviour", "tests/dispatch", "tests/engine", "tests/fixes",
    "tests/index", "tests/moves", "tests/subclasses",
)  # fmt: skip
MARKS = "not slow and not engine and not network and not corpus"
TIMEOUT_S = 150

PLUGIN = """
import coverage, pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    coverage.Coverage.current().switch_context(item.nodeid)
    return (yield)
"""


@dataclass(frozen=True)
class Mutant:
    """One change: the region of a file (byte columns as ``ast`` gives them) and what stands there then."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    kind: str

    @property
    def key(self) -> str:
        return f"{self.path}:{self.line}:{self.column}:{self.end_column}:{self.kind}"

    def applied(self, source: str) -> str:
        lines = source.encode().splitlines(keepends=True)
        head = b"".join(lines[: self.line - 1]) + lines[self.line - 1][: self.column]
        tail = lines[self.end_line - 1][self.end_column :] + b"".join(lines[self.end_line :])
        return (head + self.text.encode() + tail).decode()


_TURNED = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file that the operators know."""
    tree = ast.parse(source)
    annotations = {id(inner) for node in ast.walk(tree) for part in _typing(node) for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) not in annotations:
            for text, kind in _changes(node):
                place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
                yield Mutant(path, *place, text, kind)


def _typing(node: ast.AST) -> Iterator[ast.AST]:
    """What the run does not depend on: annotations, and blocks for type checkers."""
    for name in ("annotation", "returns"):
        part = getattr(node, name, None)
        if part is not None:
            yield part
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        yield node


def _changes(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _TURNED:
            yield f"({ast.unparse(left)} {_TURNED[type(op)]} {ast.unparse(right)})", "compare"
        case ast.BoolOp(op=op, values=[first, *rest]):
            word = " or " if isinstance(op, ast.And) else " and "
            yield "(" + word.join(f"({ast.unparse(v)})" for v in (first, *rest)) + ")", "and-or"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"(bool({ast.unparse(operand)}))", "not"
        case ast.IfExp(body=body, orelse=orelse, test=test):
            yield f"(({ast.unparse(orelse)}) if ({ast.unparse(test)}) else ({ast.unparse(body)}))", "choice"
        case ast.Constant(value=bool(value)):
            yield str(not value), "constant"
        case ast.Constant(value=int(value)):
            yield str(value + 1), "constant"
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "return None", "return"
        case ast.Continue():
            yield "break", "loop"
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield "pass", "left-out"
        case ast.Expr(value=ast.Yield()):
            yield "pass", "left-out"


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def copied(into: Path) -> Path:
    """A checkout to change: its own package, the tests, rules and fixtures by link."""
    shutil.copytree(HERE / "driftcheck", into / "driftcheck", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests", "rules", "fixtures", "pyproject.toml"):
        (into / name).symlink_to(HERE / name)
    return into


def environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}


def covered(scratch: Path) -> dict[tuple[str, int], list[str]]:
    """Which tests run which line, by running them all once."""
    kept = scratch / "lines.json"
    if not kept.exists():
        root = copied(scratch / "covered")
        (root / "contexts.py").write_text(PLUGIN)
        (root / "rc").write_text("[run]\nsource = driftcheck\n")
        command = [
            sys.executable,
            "-m",
            "coverage",
            "run",
            "--rcfile=rc",
            "-m",
            "pytest",
            "-q",
            "-p",
            "contexts",
        ]
        command += ["-p", "no:cacheprovider", "-m", MARKS, *TESTS]
        done = subprocess.run(command, cwd=root, env=environment(root), capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"the tests do not pass as they are:\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
        from coverage import CoverageData

        data = CoverageData(str(root / ".coverage"))
        data.read()
        found = []
        for file in data.measured_files():
            path = Path(file).relative_to(root).as_posix()
            if path.split("/")[1] in ROOMS:
                found += [(path, line, tests) for line, tests in data.contexts_by_lineno(file).items()]
        kept.write_text(json.dumps(found))
    return {(path, line): [t for t in tests if t] for path, line, tests in json.loads(kept.read_text())}


def sample(count: int, seed: int) -> list[Mutant]:
    """The mutants of a seed, from all of the rooms' files."""
    every: list[Mutant] = []
    for room in ROOMS:
        for file in sorted((HERE / "driftcheck" / room).rglob("*.py")):
            every += mutants_of(file.relative_to(HERE).as_posix(), file.read_text())
    return random.Random(seed).sample(sorted(every, key=lambda one: one.key), count)


def _nearest(mutant: Mutant, tests: list[str], cap: int) -> list[str]:
    """At most ``cap`` of the tests: those that name the mutated file's check or module first, then any."""
    name = Path(mutant.path).stem
    words = {name, name.partition("_")[0].upper()}
    mixed = random.Random(mutant.key).sample(sorted(tests), len(tests))
    return sorted(mixed, key=lambda test: not any(word in test for word in words))[:cap]


def tried(mutant: Mutant, root: Path, tests: list[str], cap: int) -> str:
    """``killed``, ``timeout``, ``survived`` or ``not run`` (no test comes to the line)."""
    if not tests:
        return "not run"
    chosen = _nearest(mutant, tests, cap)
    file = root / mutant.path
    source = file.read_text()
    file.write_text(mutant.applied(source))
    listing = root / "chosen.txt"
    listing.write_text("\n".join(chosen))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        MARKS,
        f"@{listing}",
    ]
    try:
        done = subprocess.run(
            command, cwd=root, env=environment(root), capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        file.write_text(source)
    return "survived" if done.returncode == 0 else "killed"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cap", type=int, default=200, help="tests a mutant at most")
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--scratch", type=Path, default=None, help="kept between runs; default: a new one")
    given = parser.parse_args()
    scratch = given.scratch or Path(tempfile.mkdtemp(prefix="mutants-"))
    scratch.mkdir(parents=True, exist_ok=True)
    before = (
        [json.loads(line) for line in given.results.read_text().splitlines()]
        if given.results.exists()
        else []
    )
    known = {one["key"]: one["result"] for one in before}
    lines = covered(scratch)
    roots: Queue[Path] = Queue()
    for _ in range(given.jobs):
        roots.put(copied(Path(tempfile.mkdtemp(dir=scratch))))

    def work(mutant: Mutant) -> None:
        root = roots.get()
        try:
            known[mutant.key] = tried(mutant, root, lines.get((mutant.path, mutant.line), []), given.cap)
        finally:
            roots.put(root)
        with given.results.open("a") as file:
            file.write(
                json.dumps({"key": mutant.key, "text": mutant.text, "result": known[mutant.key]}) + "\n"
            )

    chosen = sample(given.count, given.seed)
    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(work, [one for one in chosen if one.key not in known]))
    report(chosen, known)


def report(chosen: list[Mutant], known: dict[str, str]) -> None:
    """The share that was killed, by room, and the survivors one by one."""
    for room in (*ROOMS, ""):
        group = [known[one.key] for one in chosen if one.path.startswith(f"driftcheck/{room}")]
        counts = Counter(group)
        dead = counts["killed"] + counts["timeout"]
        share = dead / len(group) if group else 0
        print(f"{room or 'all':8} {len(group):4} mutants, {dead:4} killed ({share:.0%}), {dict(counts)}")
    for one in chosen:
        if known[one.key] in ("survived", "not run"):
            print(f"{known[one.key]:8} {one.key}  {one.text[:100]}")


if __name__ == "__main__":
    main()
