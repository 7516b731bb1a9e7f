"""Reading rule pages: what a page means, and what its errors say."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftcheck.model import Finding
from driftcheck.rulesdb import RulesError, load_codes, rules_root, rules_roots
from driftcheck.rulesdb.hints import load_hints
from driftcheck.rulesdb.pages import Page, parse_page
from driftcheck.rulesdb.trees import (
    consumer_tree,
    differences,
    provider_tree,
    reverse_differences,
)

PATH = Path("rules/checks/DC999-odd-thing.md")
HEAD = "---\ncode: DC999\nname: odd-thing\nseverity: error\nsince: 0.1.0\n---\n"
PROSE = "".join(
    f"## {title}\n\nText.\n\n" for title in ("What it does", "Why it breaks", "Example", "Use instead")
)
PROVIDER = "```python file=provider@1,2/gantry.py\nx = 1\n```\n"
CONSUMER = "```python file=consumer/dock.py\nimport gantry\ngantry.y  # drift: DC999\n```\n"


def page(cases: str, head: str = HEAD, prose: str = PROSE) -> Page:
    return parse_page(PATH, head + prose + cases)


def test_case_with_everything() -> None:
    (case,) = page(
        "## case: a title of words known-good=none target=1\n\n"
        "Words between.\n"
        "```python file=provider@1/gantry/__init__.py\n```\n"
        "```python file=provider@2/gantry/__init__.py\nx = 1\n```\n"
        "```python file=consumer/dock/__init__.py\n"
        'a = f()  # drift: DC999 certain introduced "one; two" ; DC201 # drift: DC202 likely\n'
        "b = 1  # drift: ignore[DC201] a suppression stays\n"
        "```\n"
        "```python file=expected/dock/__init__.py\na = g()\n```\n"
        "```toml file=rules/x.toml\nkey = 1\n```\n"
        '```toml file=consumer/pyproject.toml\n[project]  # drift: DC501\nname = "dock"\n```\n'
    ).cases
    assert (case.title, case.kind, case.known_good, case.target) == ("a title of words", "case", None, "1")
    assert case.providers == {"1": {"gantry/__init__.py": ""}, "2": {"gantry/__init__.py": "x = 1\n"}}
    assert case.consumer["dock/__init__.py"] == "a = f()\nb = 1  # drift: ignore[DC201] a suppression stays\n"
    assert case.consumer["pyproject.toml"] == '[project]\nname = "dock"\n'
    assert case.expected == {"dock/__init__.py": "a = g()\n"}
    assert case.rules == {"x.toml": "key = 1\n"}
    wanted = [
        (one.path, one.line, one.code, one.confidence, one.status, one.message) for one in case.expectations
    ]
    assert wanted == [
        ("dock/__init__.py", 1, "DC999", "certain", "introduced", "one; two"),
        ("dock/__init__.py", 1, "DC201", None, None, None),
        ("dock/__init__.py", 1, "DC202", "likely", None, None),
        ("pyproject.toml", 1, "DC501", None, None, None),
    ]


def test_longer_fences_hold_shorter_ones() -> None:
    (case,) = page(
        "## near miss: fences\n````python file=provider@1/gantry.py\n'''\n```\n## no heading\n```\n'''\n````\n"
        "```python file=consumer/dock.py\nimport gantry\n```\n"
    ).cases
    assert case.providers["1"]["gantry.py"] == "'''\n```\n## no heading\n```\n'''\n"
    assert case.known_good == case.target == "1"


@pytest.mark.parametrize(
    ("cases", "problem"),
    [
        ("## cases: x\n", "16: unknown section 'cases: x'; allowed: What it does"),
        ("## case:\n" + PROVIDER + CONSUMER, "a case needs a title"),
        ("## case: x knowngood=1\n" + PROVIDER + CONSUMER, "unknown setting 'knowngood' in the heading"),
        ("## case: x target=7\n" + PROVIDER + CONSUMER, "no version '7' in this case; allowed: 1, 2"),
        ("## case: x reverse=no\n" + PROVIDER + CONSUMER, "reverse=no; allowed: mirror, any"),
        ("## case: x\n" + PROVIDER, "needs a provider@VERSION/ file and a consumer/ file"),
        ("## near miss: x\n" + PROVIDER + CONSUMER, "a near miss expects nothing"),
        (
            "## case: x\n" + PROVIDER + CONSUMER.replace("DC999", "DC101"),
            "expects at least one '# drift: DC999'",
        ),
        ("## case: x\n" + PROVIDER + CONSUMER.replace("DC999", "D999"), "20: '# drift:' wants a code"),
        ("## case: x\n" + PROVIDER + CONSUMER.replace("DC999", "DC999 sure"), "unknown or repeated 'sure'"),
        ("## case: x\n" + PROVIDER + CONSUMER.replace("DC999", 'DC999 "m'), 'no closing "'),
        ("## case: x\n" + PROVIDER + PROVIDER + CONSUMER, "provider@1,2/gantry.py is given twice"),
        (
            "## case: x\n" + PROVIDER.replace("provider@1,2", "vendor") + CONSUMER,
            "file=vendor/gantry.py; allowed",
        ),
        (
            "## case: x\n" + PROVIDER.replace("gantry", "../gantry") + CONSUMER,
            "allowed: provider@VERSION/PATH",
        ),
        ("## case: x\n```python\nx = 1\n", "17: this fence is never closed"),
        ("## case: x\n" + (PROVIDER + CONSUMER) + "## case: x\n" + (PROVIDER + CONSUMER), "is used twice"),
    ],
)
def test_errors_name_the_place_and_what_is_allowed(cases: str, problem: str) -> None:
    with pytest.raises(RulesError) as caught:
        page(cases)
    prose_lines = (HEAD + PROSE).count("\n")
    assert str(caught.value).startswith(f"{PATH}:")
    assert (
        problem.partition(": ")[2] in str(caught.value)
        if problem[:2].isdigit()
        else problem in str(caught.value)
    )
    assert int(str(caught.value).split(":")[1]) > prose_lines


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("code: DC999\n---\n", ":1: a rule page starts with a line '---'"),
        ("---\ncode: DC999\n", ":3: expected 'key: value'"),
        (HEAD.replace("since", "sinse"), ":5: unknown key 'sinse' (did you mean 'since'?)"),
        (HEAD.replace("error", "fatal"), ":4: unknown severity 'fatal'; allowed: error, warning, note"),
        (HEAD.replace("DC999", "DC9"), ":2: 'DC9' is no code"),
        (HEAD.replace("since: 0.1.0\n", ""), ":1: missing in the head: since"),
        (HEAD.replace("odd", "even"), "want the file name DC999-even-thing.md"),
    ],
)
def test_errors_of_the_head(head: str, problem: str) -> None:
    with pytest.raises(RulesError) as caught:
        page("", head)
    assert problem in str(caught.value)


def test_prose_is_wanted() -> None:
    with pytest.raises(RulesError, match="missing or empty section: Example"):
        page("", prose=PROSE.replace("## Example\n\nText.\n", "## Example\n"))


def test_trees_of_a_case() -> None:
    (case,) = page("## case: x\n" + PROVIDER + CONSUMER).cases
    consumer, provider = consumer_tree(case), provider_tree(case, "2")
    assert consumer.packages == ("dock",)
    assert (provider.name, provider.version, provider.packages) == ("gantry", "2", ("gantry",))
    assert provider.read("gantry.py") == b"x = 1\n"
    assert provider.key != provider_tree(case, "1").key


def found(line: int, status: str = "introduced", code: str = "DC999") -> Finding:
    return Finding(
        code=code,
        name="odd-thing",
        severity="error",
        confidence="certain",
        status=status,  # type: ignore[arg-type]
        path="dock.py",
        line=line,
        column=1,
        end_line=line,
        end_column=2,
        symbol="gantry.y",
        message="gone",
    )


def test_missing_and_unexpected_both_differ() -> None:
    (case,) = page("## case: x\n" + PROVIDER + CONSUMER.replace("DC999", "DC999 certain introduced")).cases
    assert differences(case.expectations, [found(2)]) == []
    assert differences(case.expectations, []) == ["missing: dock.py:2 DC999 certain introduced"]
    twice = differences(case.expectations, [found(2), found(2)])
    assert twice == ["unexpected: dock.py:2:1 DC999 certain introduced 'gone'"]
    assert len(differences(case.expectations, [found(1, code="DC101")])) == 2


def test_reversed_versions_introduce_nothing() -> None:
    (case,) = page("## case: x\n" + PROVIDER + CONSUMER.replace("DC999", "DC999 certain introduced")).cases
    assert reverse_differences(case, [found(2, "fixed")]) == []
    assert len(reverse_differences(case, [found(2), found(1, "fixed")])) == 2


def test_own_rules_are_found_and_user_directories_come_after(tmp_path: Path) -> None:
    assert (rules_root() / "checks").is_dir()
    assert rules_roots([tmp_path]) == (rules_root(), tmp_path)
    with pytest.raises(RulesError, match="no such rules directory"):
        rules_roots([tmp_path / "none"])


def test_codes_and_hints() -> None:
    codes = load_codes()
    assert list(codes) == sorted(codes)
    assert codes["DC201"].name == "unknown-keyword"
    hints = load_hints(["DC201", "DC777"])
    assert list(hints) == ["DC201"]
    assert hints["DC201"].startswith("Drop the keyword")


def test_a_code_has_one_page(tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    own = load_codes()["DC201"].path
    (tmp_path / "checks" / own.name).write_text(own.read_text())
    with pytest.raises(RulesError, match="DC201 already has a page"):
        load_codes([tmp_path])
