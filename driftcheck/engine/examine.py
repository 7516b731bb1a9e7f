"""One consumer against one provider: from the result cache, or by working it out."""

from __future__ import annotations

from collections.abc import Callable

from driftcheck.engine.comments import MARKER, Suppression, suppressions
from driftcheck.engine.options import CheckOptions
from driftcheck.engine.recording import recorded
from driftcheck.engine.relines import relined
from driftcheck.engine.results import Examined, ResultCache, result_key
from driftcheck.engine.suppress import suppress
from driftcheck.model import Report
from driftcheck.rulesdb import load_codes, rules_roots
from driftcheck.sources.tree import Tree

Progress = Callable[[str], None]


def examine(
    consumer: Tree,
    target: Tree,
    known_good: Tree | None,
    options: CheckOptions,
    progress: Progress = lambda stage: None,
) -> Examined:
    """What a check shows, with the consumer's suppressions; kept for the next run unless told not to.

    Raises RulesError where a rules file is bad, and SourceError where sources went away meanwhile.
    """
    if not options.use_cache:
        return _worked_out(consumer, target, known_good, options, progress)
    cache = ResultCache()
    roots = rules_roots(options.rules_paths)
    key = result_key(consumer, target, known_good, (options.no_contracts, options.fix_style), roots)
    trees = (consumer, target, known_good)
    found = cache.load(key, trees, Examined, lambda answer, maps: relined(answer, maps, trees[0]))
    if found is not None:
        return found
    consumer, *seen = recorded(consumer)
    target, *more = recorded(target)
    seen += more
    if known_good is not None:
        known_good, *more = recorded(known_good)
        seen += more
    found = _worked_out(consumer, target, known_good, options, progress)
    asked = [recorder.asked(by_lines=n == 0) if recorder else None for n, recorder in enumerate(seen)]
    cache.store(key, asked, found)
    return found


def check(
    consumer: Tree,
    target: Tree,
    known_good: Tree | None,
    options: CheckOptions | None = None,
    progress: Progress = lambda stage: None,
) -> Report:
    """What of the consumer's usage breaks on ``target``, and what of that held on ``known_good``.

    The consumer's suppressions are heard; no configuration and no cache is. Raises RulesError where a
    rules file is bad.
    """
    options = options or CheckOptions()
    examined = _worked_out(consumer, target, known_good, options, progress)
    codes = load_codes(options.rules_paths)
    versions = {target.name or target.spec: target.version}
    examined.report.findings = suppress(examined.report.findings, examined.comments, versions, codes).findings
    return examined.report


def _worked_out(
    consumer: Tree, target: Tree, known_good: Tree | None, options: CheckOptions, progress: Progress
) -> Examined:
    from driftcheck.engine.faults import UNREADABLE
    from driftcheck.engine.session import check as compared

    report = compared(consumer, target, known_good, options, progress)
    comments = comments_of(consumer)
    unreadable = sum(one.code == UNREADABLE for one in report.findings)
    return Examined(report, comments, len(consumer.python_files), unreadable)


def comments_of(consumer: Tree) -> list[Suppression]:
    """The suppressions in a consumer's files."""
    comments: list[Suppression] = []
    for path in consumer.python_files:
        try:
            if consumer.contains(path, MARKER):
                comments += suppressions(path, consumer.read(path))
        except OSError:
            continue
    return comments
