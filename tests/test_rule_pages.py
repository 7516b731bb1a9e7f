"""Every case of every rule page, as an independent test, in both directions of the versions.

The engine runs whole: every check sees every case, so a false alarm of one check on another's page
fails here, as does a finding that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from driftcheck.model import Finding, Report
from driftcheck.rulesdb import load_codes, rules_root
from driftcheck.rulesdb.pages import Case, Page, load_pages
from driftcheck.rulesdb.trees import consumer_tree, differences, provider_tree, reverse_differences

BASELINE = "driftcheck-baseline.json"
PAGES = load_pages(rules_root())
CASES = [
    pytest.param(case, id=f"{page.code}-{case.kind}-{case.title}".replace(" ", "_"))
    for page in PAGES
    for case in page.cases
]


def findings(case: Case, target: str, known_good: str | None, rules: Path) -> list[Finding]:
    """What the engine finds in the case's consumer on one version, against another."""
    from driftcheck.engine import CheckOptions, check

    for name, text in case.rules.items():
        file = rules / "case" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    consumer = consumer_tree(case)
    report = check(
        consumer,
        provider_tree(case, target),
        None if known_good is None else provider_tree(case, known_good),
        CheckOptions(rules_paths=(rules,) if case.rules else ()),
        lambda stage: None,
    )
    if any(expectation.code == "DC501" for expectation in case.expectations):
        return with_ranges(
            case, report.findings, lambda version: check(consumer, provider_tree(case, version), None)
        )
    return report.findings if BASELINE not in case.consumer else without_baseline(case, report.findings)


def with_ranges(case: Case, found: list[Finding], ask: Callable[[str], Report]) -> list[Finding]:
    """The findings, and what all the case's versions together say of the declared range."""
    from driftcheck.engine.declared import too_wide

    name = provider_tree(case, case.target).name or ""
    every = {version: ask(version).findings for version in case.providers}
    return sorted(
        [*found, *too_wide(consumer_tree(case), name, every, load_codes())], key=lambda one: one.order
    )


def without_baseline(case: Case, found: list[Finding]) -> list[Finding]:
    """The findings after the case's own baseline file was heard."""
    from driftcheck.engine.baseline import apply_baseline, parse_baseline
    from driftcheck.engine.lines import SourceLines

    consumer = consumer_tree(case)
    baseline = parse_baseline(Path(BASELINE), case.consumer[BASELINE])
    kept, _ = apply_baseline(
        found,
        baseline,
        SourceLines(consumer.read).line,
        load_codes(),
        lambda key: key[1] in consumer.python_files and key[2].startswith("gantry"),
        BASELINE,
    )
    return kept


@pytest.mark.parametrize("case", CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    found = findings(case, case.target, case.known_good, tmp_path)
    assert differences(case.expectations, found) == []
    assert found == sorted(found, key=lambda one: one.order)


@pytest.mark.parametrize("case", CASES)
def test_case_with_the_versions_reversed(case: Case, tmp_path: Path) -> None:
    if case.known_good is None:
        pytest.skip("nothing to reverse: the case has no known-good")
    found = findings(case, case.known_good, case.target, tmp_path)
    if case.reverse == "mirror":
        assert reverse_differences(case, found) == []


def says_what_fixing_gives(page: Page) -> bool:
    """Whether a page shows fixed files at all: then a case without them has neither safe nor unsafe fix."""
    return any(case.expected for case in page.cases)


@pytest.mark.parametrize(
    ("case", "told"),
    [
        pytest.param(case, says_what_fixing_gives(page), id=f"{page.code}-{case.title}".replace(" ", "_"))
        for page in PAGES
        for case in page.cases
        if case.expectations and BASELINE not in case.consumer
    ],
)
def test_case_fixed(case: Case, told: bool, tmp_path: Path) -> None:
    """What fixing leaves parses and has no finding that was not there; it is what the page shows, if it shows any."""
    from driftcheck.engine import CheckOptions, check
    from driftcheck.engine.repair import repair

    findings(case, case.target, case.known_good, tmp_path)  # writes the case's rules
    consumer, target = consumer_tree(case), provider_tree(case, case.target)
    known_good = None if case.known_good is None else provider_tree(case, case.known_good)
    options = CheckOptions(rules_paths=(tmp_path,) if case.rules else ())

    def recheck(files: Mapping[str, bytes]) -> list[Finding]:
        return check(consumer.overlay(files) if files else consumer, target, known_good, options).findings

    done = repair(
        recheck, consumer.read, lambda one: one.fix is not None and one.fix.applicability != "display"
    )
    assert [back.reason for back in done.rolled_back] == []
    for path, data in done.files.items():
        compile(data, path, "exec")
    if told:
        assert {path: data.decode() for path, data in done.files.items()} == case.expected


@pytest.mark.parametrize("page", [pytest.param(page, id=page.code) for page in PAGES])
def test_page_has_cases_and_near_misses(page: Page) -> None:
    kinds = [case.kind for case in page.cases]
    assert kinds.count("case") >= 1
    assert kinds.count("near miss") >= 1


def test_pages_share_no_name_with_real_libraries() -> None:
    for page in PAGES:
        for case in page.cases:
            for files in case.providers.values():
                modules = [path for path in files if path != "pyproject.toml"]
                assert {path.split("/")[0].removesuffix(".py") for path in modules} == {"gantry"}, case.title
