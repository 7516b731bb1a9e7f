"""``check``: the answers of one version against those of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from driftcheck import __version__
from driftcheck.checks import Answer, View, evaluate
from driftcheck.engine.compare import findings
from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import Facts, load_facts
from driftcheck.infer.world import World
from driftcheck.model import Report, Side
from driftcheck.rulesdb import load_codes, rules_roots
from driftcheck.sources.tree import Tree
from driftcheck.uses.collect import collect


@dataclass(frozen=True)
class CheckOptions:
    """What decides an answer besides the trees."""

    no_contracts: bool = False
    rules_paths: tuple[Path, ...] = ()


@dataclass
class Run:
    """One version's answers, keyed so that another version's can be put beside them."""

    view: View
    answers: list[Answer]


def check(
    consumer: Tree,
    target: Tree,
    known_good: Tree | None,
    options: CheckOptions | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Report:
    """What of the consumer's usage breaks on ``target``, and what of that held on ``known_good``.

    Raises RulesError where a rules file is bad.
    """
    options = options or CheckOptions()
    roots = rules_roots(options.rules_paths)
    codes = load_codes(options.rules_paths)
    facts = load_facts(roots)
    run = _run(consumer, target, facts, progress)
    before = None
    if known_good is not None and run.answers:
        before = _run(consumer, known_good, facts, progress)
    found = findings(run, before, codes)
    found += _faults(run, codes)
    found.sort(key=lambda finding: finding.order)
    summary: dict[str, int | str] = {"uses": _mentions(run)}
    for finding in found:
        summary[finding.severity] = int(summary.get(finding.severity, 0)) + 1
    return Report(
        driftcheck=__version__,
        consumer=Side(spec=consumer.spec, version=consumer.version, root=consumer.root),
        target=Side(spec=target.spec, version=target.version),
        known_good=Side(spec=known_good.spec, version=known_good.version) if known_good else None,
        summary=summary,
        findings=found,
    )


def _run(consumer: Tree, provider: Tree, facts: Facts, progress: Callable[[str], None]) -> Run:
    progress(f"checking against {provider.spec}")
    world = World(Index(consumer), Index(provider), facts)
    uses = collect(world)
    view = View(world, uses)
    answers = [answer for use in uses.uses for answer in evaluate(use, view)]
    return Run(view, answers)


def _mentions(run: Run) -> int:
    return len(run.view.uses.uses)


def _faults(run: Run, codes) -> list:
    return []
