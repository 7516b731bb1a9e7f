"""``check``: the answers of one version against those of another."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftcheck import __version__
from driftcheck.checks import Answer, View, evaluate, evaluate_pair
from driftcheck.engine.compare import findings
from driftcheck.engine.counts import counted
from driftcheck.engine.declared import not_admitted
from driftcheck.engine.faults import faults
from driftcheck.engine.memory import rare_collection
from driftcheck.engine.options import CheckOptions
from driftcheck.engine.parts import parts
from driftcheck.engine.striking import chains
from driftcheck.index.tree_index import Index
from driftcheck.infer.facts import Facts, load_facts
from driftcheck.infer.world import World
from driftcheck.model import Finding, Report, Side, Stage
from driftcheck.model.finding import Chain
from driftcheck.rulesdb import CodeInfo, load_codes, rules_roots
from driftcheck.rulesdb.contracts import Contracts, load_contracts
from driftcheck.sources.tree import Tree
from driftcheck.uses import Use
from driftcheck.uses.collect import collect

if TYPE_CHECKING:
    from driftcheck.fixes import Style


@dataclass
class Run:
    """One version's uses and what the checks answered of each."""

    view: View
    answers: list[tuple[Use, Answer]]


@dataclass(frozen=True)
class Rules:
    """What is the same for every version: the codes, the facts and the contracts."""

    codes: dict[str, CodeInfo]
    facts: Facts
    contracts: Contracts
    fix_style: Style | None = None


READING = 0.7
"""The share of a version's work, about, that is done when the uses are collected; the rest is the checks."""


def load_rules(options: CheckOptions) -> Rules:
    """The rules that the options name. Raises RulesError where a rules file is bad."""
    roots = rules_roots(options.rules_paths)
    contracts = Contracts() if options.no_contracts else load_contracts(roots)
    return Rules(load_codes(options.rules_paths), load_facts(roots), contracts, options.fix_style)


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
    rules = load_rules(options or CheckOptions())
    uses, found, order = 0, dict[object, Finding](), list[Chain]()
    with rare_collection():
        several = parts(consumer, (target, known_good))
        for number, part in enumerate(several):
            if number:
                gc.collect()  # the trees of the part before are full of cycles
            told = _of_part(progress, number, len(several))
            mentions, new, chained = _checked(part, target, known_good, rules, told)
            uses += mentions
            for one in new:
                found.setdefault(one.order, one)  # what metadata say is seen from every part
            order += chained
    listed = sorted(found.values(), key=lambda finding: finding.order)
    return Report(
        driftcheck=__version__,
        consumer=Side(spec=consumer.spec, version=consumer.version, root=consumer.root),
        target=Side(spec=target.spec, version=target.version),
        known_good=Side(spec=known_good.spec, version=known_good.version) if known_good else None,
        summary=_summary(uses, listed, not_admitted(consumer, target)),
        findings=listed,
        strikes=tuple(order),
    )


def _of_part(progress: Callable[[str], None], number: int, count: int) -> Callable[[str], None]:
    """``progress`` as one of ``count`` equal parts of each stage tells it."""

    def told(stage: str) -> None:
        done = getattr(stage, "share", None) or 0.0
        progress(Stage(stage, (number + done) / count))

    return told


def _checked(
    part: Tree, target: Tree, known_good: Tree | None, rules: Rules, progress: Callable[[str], None]
) -> tuple[int, list[Finding], tuple[Chain, ...]]:
    """Of one part of the consumer: the number of uses, the findings, and in what order they strike."""
    before = None if known_good is None else run_version(part, known_good, rules, progress)
    run = run_version(part, target, rules, progress, before)
    found = compared(run, before, rules)
    return _mentions(run), found, chains(run.view.world, found)


def _summary(uses: int, found: list[Finding], required: str) -> dict[str, int | str]:
    return {"uses": uses, **counted(found), **({"required": required} if required else {})}


def run_version(
    consumer: Tree,
    provider: Tree,
    rules: Rules,
    progress: Callable[[str], None] = lambda stage: None,
    before: Run | None = None,
    beside: Index | None = None,
) -> Run:
    """What the checks answer of the consumer on one version; ``before`` is known-good's run.

    ``beside`` is what another run read of the provider: files that are the same need not be read again.
    Where a file is nested too deep to be followed, all is worked out again without such files.
    """

    def told(share: float) -> None:
        progress(Stage(f"checking against {provider.spec}", share))

    told(0.0)
    try:
        return _run_version(consumer, provider, rules, before, beside, told, shallow=False)
    except RecursionError:
        pass  # what was worked out so far goes with the error
    return _run_version(consumer, provider, rules, before, None, told, shallow=True)


def _run_version(
    consumer: Tree,
    provider: Tree,
    rules: Rules,
    before: Run | None,
    beside: Index | None,
    told: Callable[[float], None],
    *,
    shallow: bool,
) -> Run:
    known = before.view.world if before is not None and not shallow else None
    near = [one for one in (beside, known.provider if known else None) if one is not None]
    apart = _is_itself(consumer, provider)
    own = Index(consumer, shallow, apart, beside=(known.consumer,) if known else ())
    world = World(own, Index(provider, shallow, beside=tuple(near)), rules.facts)
    world.known_good = before.view.world if before else None
    world.contracts = rules.contracts.for_release(provider.name, provider.version, provider.packages)
    uses = collect(world, lambda share: told(share * READING))
    view = View(world, uses, before.view if before else None)
    answers: list[tuple[Use, Answer]] = []
    for number, use in enumerate(uses.uses):
        told(READING + (1 - READING) * number / len(uses.uses))
        answers += ((use, answer) for answer in evaluate(use, view))
    return Run(view, answers + (_paired(view, before.view) if before else []))


def _is_itself(consumer: Tree, provider: Tree) -> bool:
    """Whether the consumer is the provider, perhaps another state of it: its imports then mean the release.

    Packages that several distributions share have no ``__init__.py``.
    """
    return bool(consumer.packages) and all(
        tree.is_file(f"{name}/__init__.py") for name in consumer.packages for tree in (consumer, provider)
    )


def compared(run: Run, before: Run | None, rules: Rules) -> list[Finding]:
    """Every finding about a run, in the documented order, with its status by the run on known-good."""
    found = findings(run, before, rules.codes, rules.fix_style)
    found += faults(run, rules.codes)
    return sorted(found, key=lambda finding: finding.order)


def _paired(view: View, before: View) -> list[tuple[Use, Answer]]:
    """What the checks that take both versions answer of the uses that both have."""
    earlier = before.uses.by_key
    return [
        (use, answer)
        for use in view.uses.uses
        for other in earlier.get(use.key, ())
        for answer in evaluate_pair(use, other, view, before)
    ]


def _mentions(run: Run) -> int:
    return len(run.view.uses.uses)
