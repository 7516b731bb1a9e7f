"""``audit``: the check, mapped over the releases of a library."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from driftcheck import __version__
from driftcheck.engine.config import Config, codes_for
from driftcheck.engine.declared import too_wide
from driftcheck.engine.examine import comments_of
from driftcheck.engine.faults import none_read
from driftcheck.engine.lines import SourceLines
from driftcheck.engine.options import CheckOptions
from driftcheck.engine.places import Places
from driftcheck.engine.policy import Overrides, Policy
from driftcheck.engine.recording import Recorder, recorded
from driftcheck.engine.results import ResultCache, result_key
from driftcheck.engine.suppress import suppress
from driftcheck.model import Side, Stage
from driftcheck.queries.choosing import (
    Choice,
    checked_version,
    choose,
    declared_specifier,
    is_name,
    path_end,
    refuse_foreign,
    release_named,
)
from driftcheck.queries.diffs import diff_of
from driftcheck.queries.effort import limiting, plan
from driftcheck.queries.forecast import forecast
from driftcheck.queries.lanes import examine_all, prefetch
from driftcheck.queries.matrix import rows_of
from driftcheck.queries.modules import edges
from driftcheck.queries.structs import AuditReport, Column, ReleaseResult, Row
from driftcheck.queries.verified import verified_range, words
from driftcheck.rulesdb import rules_roots
from driftcheck.sources import Cache, known_good_version, open_tree, releases
from driftcheck.sources.errors import SourceError, usage
from driftcheck.sources.tree import Tree

if TYPE_CHECKING:
    from driftcheck.engine.session import Rules, Run
    from driftcheck.index.tree_index import Index

Progress = Callable[[str], None]

UNSTARTED = 24
"""How many of the newest releases are looked at where neither ``--from`` nor a known-good says more."""


@dataclass(frozen=True)
class AuditRequest:
    """What is asked: the consumer's spec, the provider's name, the ends (versions; ``last`` also a path)."""

    consumer: str
    provider: str
    first: str | None = None
    last: str | None = None
    known_good: str | None = None
    prereleases: bool = False
    yanked: bool = False
    python: Path | None = None
    run_python: bool = True
    include_tests: bool = False
    use_cache: bool = True
    refresh: bool = False
    options: CheckOptions = field(default_factory=CheckOptions)
    config: Config = field(default_factory=Config)
    wishes: Overrides = field(default_factory=Overrides)
    processes: int | None = None


def audit(request: AuditRequest, progress: Progress = lambda stage: None) -> AuditReport:
    """Every use of the provider on every release that is asked about.

    Raises SourceError where the request cannot be meant or a tree cannot be had, and RulesError for a
    bad rules file.
    """
    _refuse_unmeant(request)
    progress(f"reading {request.consumer}")
    consumer = open_tree(
        request.consumer,
        role="consumer",
        python=request.python,
        run_python=request.run_python,
        refresh=request.refresh,
        include_tests=request.include_tests,
        progress=progress,
    )
    if not consumer.python_files:
        raise SourceError(f"consumer {request.consumer}: no Python file to read")
    wanted = request.known_good or known_good_version(
        consumer, request.provider, refresh=request.refresh, progress=progress
    )
    if wanted == "none":
        wanted = None
    choice = _choice(request, wanted, progress)
    session = _Session(request, consumer, choice, progress)
    known_good, assumed = session.known_good(wanted)
    session.refuse_foreign(known_good)
    results = session.results(known_good)
    failed = [result for result in results if result.error is not None and result.version != known_good]
    if failed and len(failed) >= len(results) - (known_good is not None):
        raise SourceError(f"no release could be examined: {failed[-1].error}")
    for result in results:
        why = none_read(result.findings, len(consumer.python_files))
        if why is not None:
            raise SourceError(why)
    return _report(request, consumer, choice, results, known_good, assumed)


def _refuse_unmeant(request: AuditRequest) -> None:
    """Refuse what cannot be meant, before anything is fetched."""
    if not is_name(request.provider):
        raise usage(f"--provider takes a name, not {request.provider!r}")
    if request.known_good not in (None, "none"):
        checked_version(request.known_good or "", "--known-good")
    if request.last is not None and path_end(request.last) is not None:
        open_tree(request.last, role="provider")


def _choice(request: AuditRequest, wanted: str | None, progress: Progress) -> Choice:
    offered = releases(request.provider, refresh=request.refresh, progress=progress)
    if wanted is not None:
        release_named(offered, request.provider, wanted)
    path = path_end(request.last)
    last = None if path is not None else request.last
    include = () if wanted is None else (wanted,)
    first = request.first or wanted
    if request.first is None and wanted and last and checked_version(last, "--to") < Version(wanted):
        first = last  # the known-good is newer than all that is asked about
    choice = choose(offered, first, last, include, request.prereleases, request.yanked)
    if request.first is None and wanted is None:
        choice = replace(choice, versions=choice.versions[-UNSTARTED:])
    return choice if path is None else replace(choice, path=str(path), newest=False)


class _Session:
    """One consumer against the releases: what was kept of earlier runs, and what must be worked out."""

    def __init__(self, request: AuditRequest, consumer: Tree, choice: Choice, progress: Progress) -> None:
        self._request = request
        self._consumer, self._recorder = recorded(consumer)
        self._choice = choice
        self._progress = progress
        self._rules: Rules | None = None
        self._cache = ResultCache()
        roots = rules_roots(request.options.rules_paths)
        settings = ("audit", request.options.no_contracts, request.options.fix_style)
        self._key = result_key(consumer, consumer, None, settings, roots)
        self._trees: dict[str, Tree] = {}
        self._run: Run | None = None
        self._last: Index | None = None
        self._recorders: dict[str, Recorder | None] = {}

    # Trees and the cache

    def _spec(self, version: str) -> str:
        return version if version == self._choice.path else f"{self._request.provider}=={version}"

    def _tree(self, version: str) -> Tree:
        if version not in self._trees:
            self._trees[version] = open_tree(
                self._spec(version), role="provider", refresh=False, progress=self._progress
            )
        return self._trees[version]

    def _kept(self, version: str, known_good: str | None) -> ReleaseResult | None:
        if not self._request.use_cache:
            return None
        trees = (self._consumer, self._tree(version), None if known_good is None else self._tree(known_good))
        return self._cache.load(self._key_of(version, known_good), trees, ReleaseResult)

    def _key_of(self, version: str, known_good: str | None) -> bytes:
        sides = [
            (self._tree(one).spec, self._tree(one).key) for one in (version, known_good) if one is not None
        ]
        return hashlib.blake2b(
            self._key + repr(sides).encode("utf-8", "surrogateescape"), digest_size=20
        ).digest()

    # Known-good

    def known_good(self, wanted: str | None) -> tuple[str | None, bool]:
        """The release to compare with, and whether it was assumed: the newest on which every use holds."""
        if wanted is not None:
            return next(v for v in self._choice.versions if Version(v) == Version(wanted)), False
        if self._request.known_good == "none":
            return None, False
        for version in reversed(self._choice.versions):
            if self._holds(version):
                return version, True
            self._run = None
        return None, False

    def _holds(self, version: str) -> bool:
        result = self._kept(version, None) or self._worked_out(version, None, keep=True)
        return not any(
            one.severity != "note"
            and one.confidence != "possible"
            and not one.code.startswith(("DC5", "DC9"))
            for one in result.findings
        )

    def refuse_foreign(self, known_good: str | None) -> None:
        """Refuse a source tree at the end that is of something else than the provider."""
        path = self._choice.path
        if path is None:
            return
        try:
            known = self._tree(known_good or self._choice.versions[-1])
        except SourceError:
            return  # said of that release
        refuse_foreign(self._request.last or path, self._tree(path), known, self._request.provider)

    # Working out

    def results(self, known_good: str | None) -> list[ReleaseResult]:
        """What every release showed, in order."""
        versions = [*self._choice.versions, *([self._choice.path] if self._choice.path else [])]
        there = set(Cache().versions(self._request.provider))
        found: dict[str, ReleaseResult] = {}
        for version in versions:
            if version in there or version == self._choice.path:
                try:
                    kept = self._kept(version, known_good)
                except SourceError as error:
                    kept = ReleaseResult(version, error=str(error))
                if kept is not None:
                    found[version] = kept
        missing = [version for version in versions if version not in found]
        if missing:
            stop = prefetch(
                lambda one: open_tree(self._spec(one), role="provider"),
                [v for v in missing if v not in there],
            )
            try:
                found |= self._examined(missing, known_good)
            finally:
                stop()
        return [found[version] for version in versions]

    def _examined(self, missing: Sequence[str], known_good: str | None) -> dict[str, ReleaseResult]:
        if known_good is not None and self._run is None:
            self._run = self._run_on(known_good, None)
        count = 0

        def done(version: str) -> None:
            nonlocal count
            count += 1
            stage = f"{self._request.provider} {version} examined ({count} of {len(missing)})"
            self._progress(Stage(stage, count / len(missing)))

        self._progress(f"examining {len(missing)} releases of {self._request.provider}")
        return examine_all(missing, lambda v: self._worked_out(v, known_good), done, self._request.processes)

    def _worked_out(self, version: str, known_good: str | None, keep: bool = False) -> ReleaseResult:
        from driftcheck.queries.release import result_of

        before = self._run if known_good is not None else None
        run = before if before is not None and version == known_good else self._run_on(version, before)
        if keep:
            self._run = run
        result = result_of(run, before, self._loaded())
        result = msgspec.structs.replace(result, version=version)
        if self._request.use_cache:
            recorders = (self._recorder, self._recorders.get(version))
            asked = [None if recorder is None else recorder.asked() for recorder in recorders]
            self._cache.store(self._key_of(version, known_good), asked, result)
        return result

    def _run_on(self, version: str, before: Run | None) -> Run:
        from driftcheck.engine.session import run_version

        if self._last is not None:
            self._last.set_aside()
        tree, self._recorders[version] = recorded(self._tree(version))
        run = run_version(self._consumer, tree, self._loaded(), self._progress, before, self._last)
        if before is not None:
            self._last = run.view.world.provider  # the next release has most of its files
        return run

    def _loaded(self) -> Rules:
        if self._rules is None:
            from driftcheck.engine.session import load_rules

            self._rules = load_rules(self._request.options)
        return self._rules


def _report(
    request: AuditRequest,
    consumer: Tree,
    choice: Choice,
    results: list[ReleaseResult],
    known_good: str | None,
    assumed: bool,
) -> AuditReport:
    results = _wished(request, consumer, results)
    versions = [result.version for result in results]
    lines = SourceLines(consumer.read)
    rows = rows_of(results, known_good, lines.line)
    for row in rows:
        row.diff = diff_of(row.fix, consumer.read)
    start = versions.index(known_good) if known_good in versions else None
    good = [result.error is None and not limiting(rows, n) for n, result in enumerate(results)]
    declared = declared_specifier(consumer.requires, request.provider)
    plain = [version for version in versions if version != choice.path]
    steps = []
    if start is not None:
        end = len(plain) - 1
        steps = plan(
            rows, results, start, lambda low, high: words(plain, min(low, end), min(high, end), choice.newest)
        )
    kept = [row for row in rows if row.code is not None or any(state != "absent" for state in row.states)]
    holding = sum(row.code is None for row in kept)
    return AuditReport(
        driftcheck=__version__,
        consumer=Side(spec=consumer.spec, version=consumer.version, root=consumer.root),
        provider=request.provider,
        known_good=None
        if known_good is None
        else Side(spec=f"{request.provider}=={known_good}", version=known_good),
        known_good_assumed=assumed,
        releases=_columns(rows, results, good, declared, _too_wide(request, consumer, results)),
        range=verified_range(plain, good[: len(plain)], start, choice.newest, declared),
        rows=kept,
        plan=steps,
        forecast=forecast(rows, versions),
        modules=edges(rows, len(versions)),
        skipped=list(choice.skipped),
        holding=holding,
    )


def _wished(request: AuditRequest, consumer: Tree, results: Iterable[ReleaseResult]) -> list[ReleaseResult]:
    """The results after suppressions, selection and severities, as ``check`` applies them."""
    config = request.config
    codes = codes_for(config)
    policy = Policy(config, request.wishes, codes, Places([consumer]).locate, config.path is None)
    comments = comments_of(consumer)
    found: list[ReleaseResult] = []
    for result in results:
        wanted = policy.applied(result.findings)
        quiet = suppress(wanted, comments, {request.provider: result.version}, codes, policy.enabled)
        kept = [one for one in quiet.findings if one.code not in ("DC901", "DC904")]
        found.append(msgspec.structs.replace(result, findings=kept))
    return found


def _too_wide(request: AuditRequest, consumer: Tree, results: list[ReleaseResult]) -> dict[str, str]:
    """What DC501 says of the declared range, by the releases that speak against it."""
    policy = Policy(
        request.config, request.wishes, codes_for(request.config), Places([consumer]).locate, True
    )
    found = {one.version: one.findings for one in results if one.error is None}
    wide = policy.applied(too_wide(consumer, request.provider, found, codes_for(request.config)))
    return {related.message.partition(":")[0]: one.message for one in wide for related in one.related}


def _columns(
    rows: list[Row],
    results: list[ReleaseResult],
    good: list[bool],
    declared: SpecifierSet | None,
    wide: dict[str, str],
) -> list[Column]:
    found: list[Column] = []
    for number, result in enumerate(results):
        states = [row.states[number] for row in rows]
        messages = {one.code: one.message for one in result.findings if one.code.startswith("DC50")}
        try:
            fits = None if declared is None else declared.contains(result.version, prereleases=True)
        except ValueError:
            fits = None
        found.append(
            Column(
                version=result.version,
                breaks=states.count("breaks"),
                risks=states.count("risk"),
                possible=states.count("possible"),
                verified=good[number],
                declared=fits,
                declared_range=wide.get(result.version),
                conflict=messages.get("DC502"),
                error=result.error,
            )
        )
    return found
