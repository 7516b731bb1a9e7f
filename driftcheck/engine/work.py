"""A whole run: open the trees, examine every pair, and apply what the user wishes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from driftcheck.engine.baseline import apply_baseline, read_baseline
from driftcheck.engine.changed import Changes, changed_in_index, changed_since
from driftcheck.engine.config import Config, Settings, codes_for, find_config, load_config
from driftcheck.engine.counts import counted
from driftcheck.engine.examine import examine
from driftcheck.engine.identity import Key
from driftcheck.engine.lines import SourceLines
from driftcheck.engine.options import CheckOptions
from driftcheck.engine.places import Places
from driftcheck.engine.policy import Overrides, Policy
from driftcheck.engine.request import Asked, Request, asked_providers, configured_known_good, known_good_spec
from driftcheck.engine.results import Examined
from driftcheck.engine.steps import among
from driftcheck.engine.suppress import suppress
from driftcheck.model import Finding, Pair, Report, Side
from driftcheck.rulesdb import CodeInfo
from driftcheck.sources.errors import USAGE, SourceError, usage
from driftcheck.sources.tree import Tree

__all__ = ["Outcome", "Request", "known_good_spec", "run"]

Progress = Callable[[str], None]
UNRESOLVED = "DC902"


@dataclass(frozen=True)
class Outcome:
    """The report, the bytes of a consumer file by path, and what the user should know besides.

    ``places`` finds the files that findings are about; ``outside`` tells in words what was left out
    of the report on the user's wish; ``config`` is what was in force for the first consumer; ``pairs``
    are the trees that were examined: consumer, target, known-good.
    """

    report: Report
    read: Callable[[str], bytes]
    warnings: list[str] = field(default_factory=list)
    places: Places = field(default_factory=lambda: Places(()))
    outside: tuple[str, ...] = ()
    config: Config = field(default_factory=Config)
    pairs: tuple[tuple[Tree, Tree, Tree | None], ...] = ()


@dataclass
class _Consumer:
    """One consumer with its configuration, and what every provider's examination gave."""

    tree: Tree
    config: Config
    codes: dict[str, CodeInfo]
    policy: Policy
    pairs: list[tuple[Pair, Examined]] = field(default_factory=list)
    trees: list[tuple[Tree, Tree, Tree | None]] = field(default_factory=list)
    unresolved: list[Finding] = field(default_factory=list)
    ranges: list[Finding] = field(default_factory=list)
    provider_packages: set[str] = field(default_factory=set)
    changes: Changes | None = None


@dataclass
class _Counts:
    """Findings left out on the user's wish, by why."""

    suppressed: int = 0
    baseline: int = 0
    unchanged: int = 0

    def words(self) -> tuple[str, ...]:
        said = (
            (self.suppressed, "suppressed"),
            (self.baseline, "in the baseline"),
            (self.unchanged, "on unchanged lines"),
        )
        return tuple(f"{count} {what}" for count, what in said if count)


def run(request: Request, progress: Progress) -> Outcome:
    """Answers the request.

    Raises SourceError for a request that cannot be meant (exit status 2) and where nothing could be
    checked (3), and RulesError for a bad rules file.
    """
    if request.since is not None and request.staged:
        raise usage("--since and --staged exclude each other")
    warnings: list[str] = []
    consumers = [_consumer(request, tree) for tree in _opened_consumers(request, progress)]
    places = Places([one.tree for one in consumers])
    opened: dict[str, Tree | SourceError] = {}
    for consumer in consumers:
        _examine(request, consumer, opened, progress, warnings)
    _refuse_if_unreadable(consumers)
    counts = _Counts()
    findings: list[Finding] = []
    for consumer in consumers:
        findings += _wished(request, consumer, places, counts)
    findings = _without_baseline(request, consumers, findings, places, counts)
    report = _merged(consumers, sorted(findings, key=lambda one: one.order))
    trees = tuple(trees for one in consumers for trees in one.trees)
    config = consumers[0].config
    return Outcome(report, places.read, warnings, places, counts.words(), config, trees)


# Opening


def _opened_consumers(request: Request, progress: Progress) -> list[Tree]:
    trees: list[Tree] = []
    for spec in request.consumers:
        tree = _open(request, spec, "consumer", progress, _config_at(request, spec))
        same = next((at for at, other in enumerate(trees) if _are_parts(tree, other)), None)
        if same is None:
            trees.append(tree)
        else:
            # Files of one package, as hooks pass them: one run over all of them.
            other = trees[same]
            only = tuple(sorted({*other.only, *tree.only}))
            key = f"{other.key} {tree.key}"
            trees[same] = replace(other, spec=f"{other.spec} {tree.spec}", only=only, key=key)
    return trees


def _are_parts(one: Tree, other: Tree) -> bool:
    return bool(one.only and other.only) and (one.root, one.packages) == (other.root, other.packages)


def _open(
    request: Request, spec: str, role: Literal["provider", "consumer"], progress: Progress, config: Config
) -> Tree:
    from driftcheck.sources import open_tree

    progress(f"reading {spec}")
    tree: Tree = open_tree(
        spec,
        role=role,
        python=request.python or config.python,
        run_python=request.python is not None,
        refresh=request.refresh,
        include_tests=request.include_tests or "tests" in config.settings.include,
        progress=progress,
    )
    if not tree.python_files:
        raise SourceError(f"{role} {spec}: no Python file to read")
    return tree


def _config_at(request: Request, spec: str) -> Config:
    """The configuration for a consumer: the one named, or the nearest to where it is, or to here."""
    if request.isolated:
        return Config()
    if request.config is not None:
        config = load_config(request.config.absolute())
        if config is None:
            raise usage(f"{request.config}: no such file, or no [tool.driftcheck] in it")
        return config
    place = Path(spec).expanduser()
    return find_config(place if place.exists() else Path.cwd())


def _consumer(request: Request, tree: Tree) -> _Consumer:
    # Files of one package were joined to one consumer: the first speaks for all.
    joined = bool(tree.only) and not Path(tree.spec).expanduser().exists()
    config = _config_at(request, tree.spec.split(" ")[0] if joined else tree.spec)
    config = replace(config, settings=_with_rules(config, request.rules)) if request.rules else config
    codes = codes_for(config)
    wishes = Overrides(request.select, request.ignore, request.exclude)
    fixed = request.isolated or request.config is not None
    found = _Consumer(tree, config, codes, Policy(config, wishes, codes, Places([tree]).locate, fixed))
    if request.since is not None or request.staged:
        root = Path(tree.root) if tree.root and not tree.immutable else None
        if root is None:
            raise usage(f"{tree.spec} is in no git repository: --since and --staged need one")
        found.changes = changed_in_index(root) if request.staged else changed_since(request.since or "", root)
        found.tree = _with_bytes(tree, _staged_bytes(found.changes, tree))
    if request.overlay:
        changed = {os.path.realpath(path): data for path, data in request.overlay.items()}
        laid = ((path, changed.get(os.path.realpath(tree.locate(path) or ""))) for path in tree.python_files)
        found.tree = _with_bytes(found.tree, {path: data for path, data in laid if data is not None})
    return found


def _with_rules(config: Config, rules: tuple[Path, ...]) -> Settings:
    more = tuple(str(path.absolute()) for path in rules)
    return msgspec.structs.replace(config.settings, rules=(*config.settings.rules, *more))


def _staged_bytes(changes: Changes, tree: Tree) -> dict[str, bytes]:
    if not changes.staged:
        return {}
    named = ((path, tree.locate(path)) for path in tree.python_files)
    laid = ((path, changes.staged.get(changes.name_of(place))) for path, place in named if place is not None)
    return {path: data for path, data in laid if data is not None}


def _with_bytes(tree: Tree, changed: dict[str, bytes]) -> Tree:
    return tree.overlay(changed) if changed else tree


# Examining


def _examine(
    request: Request,
    consumer: _Consumer,
    opened: dict[str, Tree | SourceError],
    progress: Progress,
    warnings: list[str],
) -> None:
    """Every provider that is asked about; one of several that cannot be had becomes a finding."""
    asked = asked_providers(request, consumer.config)
    options = CheckOptions(
        no_contracts=request.no_contracts or not consumer.config.settings.contracts,
        rules_paths=consumer.config.rules,
        use_cache=request.use_cache,
        fix_style=request.fix_style,
    )
    for one in asked:
        try:
            target = _opened(request, one.target, consumer.config, opened, progress)
        except SourceError as error:
            if len(asked) == 1 or error.exit_status == USAGE:
                raise
            consumer.unresolved.append(_unresolved(one, error, consumer))
            continue
        known_good = _known_good(request, consumer, one, target, opened, progress, warnings)
        label = target.name or one.name or target.spec
        examined = examine(consumer.tree, target, known_good, options, progress)
        pair = Pair(label, _side(target), None if known_good is None else _side(known_good))
        consumer.pairs.append((pair, examined))
        consumer.trees.append((consumer.tree, target, known_good))
        consumer.provider_packages.update(target.packages)
        if request.ranges:
            consumer.ranges += _ranges(request, consumer, target, options, opened, progress, warnings)
    if not consumer.pairs:
        raise SourceError("; ".join(one.message for one in consumer.unresolved))


def _ranges(
    request: Request,
    consumer: _Consumer,
    target: Tree,
    options: CheckOptions,
    opened: dict[str, Tree | SourceError],
    progress: Progress,
    warnings: list[str],
) -> list[Finding]:
    """What all releases that the consumer's metadata admits say of the range."""
    if target.name is None:
        raise usage(f"--ranges: {target.spec} has no name to look its releases up by")
    from driftcheck.engine.ranges import range_findings
    from driftcheck.sources import releases

    return range_findings(
        consumer.tree,
        target.name,
        releases(target.name, refresh=request.refresh, progress=progress),
        lambda spec: _opened(request, spec, consumer.config, opened, progress),
        options,
        consumer.codes,
        progress,
        warnings,
    )


def _opened(
    request: Request, spec: str, config: Config, opened: dict[str, Tree | SourceError], progress: Progress
) -> Tree:
    """A provider's tree, opened once however many consumers use it."""
    if spec not in opened:
        try:
            opened[spec] = _open(request, spec, "provider", progress, config)
        except SourceError as error:
            opened[spec] = error
    found = opened[spec]
    if isinstance(found, SourceError):
        raise found
    return found


def _known_good(
    request: Request,
    consumer: _Consumer,
    asked: Asked,
    target: Tree,
    opened: dict[str, Tree | SourceError],
    progress: Progress,
    warnings: list[str],
) -> Tree | None:
    said = asked.known_good or configured_known_good(target.name, consumer.config)
    if said is not None:
        spec = known_good_spec(said, target)
        return None if spec is None else _opened(request, spec, consumer.config, opened, progress)
    if target.name is None:
        return None
    from driftcheck.sources import known_good_version

    version = known_good_version(consumer.tree, target.name, refresh=request.refresh, progress=progress)
    if version is None:
        return None
    try:
        return _opened(request, f"{target.name}=={version}", consumer.config, opened, progress)
    except SourceError as error:
        # Nobody asked for this version: without it there is less to say, not nothing.
        wanted = f"{target.name} {version}, which {consumer.tree.spec} requires"
        warnings.append(f"no comparison with {wanted}: {error}")
        return None


def _unresolved(asked: Asked, error: SourceError, consumer: _Consumer) -> Finding:
    info = consumer.codes.get(UNRESOLVED)
    path, line = (asked.place[0].name, asked.place[1]) if asked.place else ("pyproject.toml", 1)
    return Finding(
        code=UNRESOLVED,
        name=info.name if info else "unresolved-provider",
        severity=info.severity if info else "error",
        confidence="certain",
        status="unknown",
        path=path,
        line=line,
        column=1,
        end_line=line,
        end_column=2,
        symbol=asked.name or asked.target,
        message=f"{asked.target} was not checked: {error}",
        provider=asked.name or asked.target,
    )


def _refuse_if_unreadable(consumers: Iterable[_Consumer]) -> None:
    """Where no file of any consumer could be read, nothing was checked."""
    examined = [one for consumer in consumers for _, one in consumer.pairs]
    if examined and all(one.files == one.unreadable for one in examined):
        from driftcheck.engine.faults import none_read  # a warm run has no use for what that needs

        why = [none_read(one.report.findings, one.files) for one in examined]
        raise SourceError(next(one for one in why if one is not None))


# Wishes


def _wished(request: Request, consumer: _Consumer, places: Places, counts: _Counts) -> list[Finding]:
    """One consumer's findings after selection, severity, suppressions and the limit to changed lines."""
    found = [*consumer.unresolved, *consumer.ranges]
    several = len(consumer.pairs) + len(consumer.unresolved) > 1
    seen: set[tuple[object, ...]] = set()
    for pair, examined in consumer.pairs:
        for one in examined.report.findings:
            if one.code == "DC903":
                # The same file, whichever provider was asked about.
                if (one.path, one.line) in seen:
                    continue
                seen.add((one.path, one.line))
            found.append(msgspec.structs.replace(one, provider=pair.provider) if several else one)
    found = consumer.policy.applied(found)
    comments = consumer.pairs[0][1].comments
    versions = {pair.provider: pair.target.version for pair, _ in consumer.pairs}
    quiet = suppress(found, comments, versions, consumer.codes, consumer.policy.enabled)
    counts.suppressed += quiet.count
    # DC901 is born here, so the wishes about it are heard here.
    found = consumer.policy.applied(quiet.findings)
    if consumer.changes is None:
        return found
    kept = [one for one in found if _is_changed(consumer.changes, one, places)]
    counts.unchanged += _shown(found) - _shown(kept)
    return kept


def _shown(findings: Iterable[Finding]) -> int:
    return sum(one.status != "fixed" for one in findings)


def _is_changed(changes: Changes, finding: Finding, places: Places) -> bool:
    return finding.code == UNRESOLVED or changes.touches(places.locate(finding.path), finding)


def _without_baseline(
    request: Request, consumers: list[_Consumer], findings: list[Finding], places: Places, counts: _Counts
) -> list[Finding]:
    if not request.use_baseline:
        return findings
    paths = {request.baseline} if request.baseline else {one.config.baseline for one in consumers}
    lines = SourceLines(places.read)
    partial = request.since is not None or request.staged
    for path in sorted(path for path in paths if path is not None):
        place = path.absolute()
        shown = place.name
        places.add(shown, place)
        findings, held = apply_baseline(
            findings,
            read_baseline(path),
            lines.line,
            consumers[0].codes,
            lambda key: not partial and _concerns(key, consumers),
            shown,
        )
        counts.baseline += held
    return [graded for one in findings for graded in _stale_graded(one, consumers[0].policy)]


def _stale_graded(finding: Finding, policy: Policy) -> list[Finding]:
    """DC904 is born with the baseline, so the wishes about it are heard there; others were heard."""
    return policy.applied([finding]) if finding.code == "DC904" else [finding]


def _concerns(key: Key, consumers: Iterable[_Consumer]) -> bool:
    """Whether this run would have found what a baseline's entry is about."""
    code, path, symbol, _ = key
    for one in consumers:
        package = symbol.split(".")[0]
        asked = not symbol or package in one.provider_packages
        top = path.split("/")[0].removesuffix(".py")
        there = path in one.tree.python_files or (not one.tree.only and top in one.tree.packages)
        if asked and there and not one.unresolved and one.policy.enabled(code, path):
            return True
    return False


# The report


def _merged(consumers: list[_Consumer], findings: list[Finding]) -> Report:
    """One report of all; counts are added, the first pair speaks where only one can."""
    pairs = list(dict.fromkeys(pair for one in consumers for pair, _ in one.pairs))
    first = consumers[0].pairs[0][1].report
    uses = sum(int(x.report.summary.get("uses", 0)) for one in consumers for _, x in one.pairs)
    said = [x.report.summary.get("required") for one in consumers for _, x in one.pairs]
    required = "; ".join(dict.fromkeys(str(one) for one in said if one))
    consumer = first.consumer
    if len(consumers) > 1:
        consumer = Side(spec=" ".join(one.tree.spec for one in consumers))
    known_good = next((pair.known_good for pair in pairs if pair.known_good), None)
    labels = {pair.provider for pair in pairs}
    return msgspec.structs.replace(
        first,
        consumer=consumer,
        known_good=known_good,
        providers=tuple(pairs) if len(labels) > 1 else (),
        summary={"uses": uses, **counted(findings), **({"required": required} if required else {})},
        findings=findings,
        strikes=among(
            (chain for one in consumers for _, x in one.pairs for chain in x.report.strikes), findings
        ),
    )


def _side(tree: Tree) -> Side:
    return Side(spec=tree.spec, version=tree.version)
