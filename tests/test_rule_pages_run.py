"""The rule pages tell the truth: their small packages are really run, on every version they compare.

A case's consumer raises where the page says that something breaks and runs where it says that it holds;
a near miss runs on both. Each consumer module that no other imports is imported, and its ``main`` called if
it has one. Where all that a page expects is only possible, it may raise or not; a case that needs a library
that is not here is not run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftcheck.rulesdb import rules_root
from driftcheck.rulesdb.pages import Case, load_pages

# Whether a use with this status breaks on known-good, and on the target.
BREAKS = {
    "introduced": (False, True),
    "preexisting": (True, True),
    "fixed": (True, False),
}
# What the checks of names and calls foretell, and nothing else that might go wrong.
FORETOLD = {
    "DC405": ("RuntimeError", "ValueError", "AssertionError"),
    "DC101": ("ModuleNotFoundError", "TypeError"),  # the latter where a guard left None to be called
    "DC102": ("ImportError", "AttributeError", "TypeError"),
    "DC103": ("AttributeError",),
    "DC104": ("TypeError", "AttributeError"),
    "DC201": ("TypeError", "ValidationError"),
    "DC202": ("TypeError", "ValidationError"),
    "DC203": ("TypeError", "ValidationError"),
    "DC205": ("TypeError", "AttributeError", "FrozenInstanceError"),
    "DC206": ("TypeError",),
    "DC408": ("AttributeError", "KeyError", "ValueError"),
}
CASES = [
    pytest.param(page.code, case, id=f"{page.code}-{case.title}")
    for page in load_pages(rules_root())
    for case in page.cases
    if page.code in FORETOLD
]


def _imported(text: str) -> Iterator[str]:
    """The dotted names that import statements of a file may mean."""
    for module, names in re.findall(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(.*)$", text, re.M):
        yield from (module, *(f"{module}.{name.split(' as ')[0].strip(' ()')}" for name in names.split(",")))
    for names in re.findall(r"^[ \t]*import[ \t]+(.*)$", text, re.M):
        yield from (name.split(" as ")[0].strip() for name in names.split(","))


def _is_elsewhere(raised: str, case: Case) -> bool:
    """Whether a module of neither side is what was not found."""
    found = re.match(r"ModuleNotFoundError: No module named '(\w+)'", raised)
    tops = {path.split("/")[0].removesuffix(".py") for files in case.providers.values() for path in files}
    tops |= {path.split("/")[0].removesuffix(".py") for path in case.consumer}
    return found is not None and found.group(1) not in tops


def run_consumer(case: Case, version: str, directory: Path) -> str:
    """The name of the exception and what it says; empty where the consumer ran."""
    for path, text in {**case.providers[version], **case.consumer}.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    modules = [
        path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in case.consumer
        if path.endswith(".py")
    ]
    imported = {name for text in case.consumer.values() for name in _imported(text)}
    # Where each imports another, the first is where it begins.
    modules = [name for name in modules if name not in imported] or modules[:1]
    program = (
        "import importlib, sys\n"
        f"sys.path.insert(0, {str(directory)!r})\n"
        "try:\n"
        f"    for name in {modules!r}:\n"
        "        getattr(importlib.import_module(name), 'main', int)()\n"
        "except Exception as error:\n"
        "    sys.exit(f'{type(error).__name__}: {error}')\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    return done.stderr.strip() if done.returncode else ""


@pytest.mark.parametrize(("code", "case"), CASES)
def test_page_is_true(code: str, case: Case, tmp_path: Path) -> None:
    if "pydantic" in "".join(text for files in case.providers.values() for text in files.values()):
        pytest.importorskip("pydantic")
    foretold = tuple(name for wanted in case.expectations for name in FORETOLD[wanted.code])
    sure = [one for one in case.expectations if one.confidence != "possible" and one.status in BREAKS]
    statuses = {wanted.status for wanted in sure}
    unsure = len(sure) < len(case.expectations)
    for index, version in enumerate((case.known_good, case.target)):
        if version is None:
            continue
        raised = run_consumer(case, version, tmp_path / version / str(index))
        if _is_elsewhere(raised, case):
            pytest.skip(raised)
        expected = any(BREAKS[status][index] for status in statuses)
        if expected or not unsure:
            assert bool(raised) == expected, f"on {version}: {raised or 'nothing raised'}"
        if raised:
            assert raised.split(":")[0] in foretold, raised
