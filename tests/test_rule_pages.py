"""Every case of every rule page, as an independent test, in both directions of the versions.

The engine runs whole: every check sees every case, so a false alarm of one check on another's page
fails here, as does a finding that is missing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driftcheck.model import Finding
from driftcheck.rulesdb import rules_root
from driftcheck.rulesdb.pages import Case, Page, load_pages
from driftcheck.rulesdb.trees import consumer_tree, differences, provider_tree, reverse_differences

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
    report = check(
        consumer_tree(case),
        provider_tree(case, target),
        None if known_good is None else provider_tree(case, known_good),
        CheckOptions(rules_paths=(rules,) if case.rules else ()),
        lambda stage: None,
    )
    return report.findings


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


@pytest.mark.parametrize("page", [pytest.param(page, id=page.code) for page in PAGES])
def test_page_has_cases_and_near_misses(page: Page) -> None:
    kinds = [case.kind for case in page.cases]
    assert kinds.count("case") >= 1
    assert kinds.count("near miss") >= 1


def test_pages_share_no_name_with_real_libraries() -> None:
    for page in PAGES:
        for case in page.cases:
            for files in case.providers.values():
                assert {path.split("/")[0].removesuffix(".py") for path in files} == {"gantry"}, case.title
