"""The rule pages tell the truth: their small packages are really run, on every version they compare.

A case's consumer raises where the page says that something breaks and runs where it says that it holds;
a near miss runs on both. Each consumer module is imported, and its ``main`` called if it has one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from driftcheck.rulesdb import rules_root
from driftcheck.rulesdb.pages import Case, load_pages

# Whether a use with this status breaks on known-good, and on the target.
BREAKS = {"introduced": (False, True), "preexisting": (True, True), "fixed": (True, False)}
# A guard that leaves None in place of what is gone, which is then called.
CALLED_NONE = "TypeError: 'NoneType' object is not callable"
# What the checks of names and calls foretell, and nothing else that might go wrong.
FORETOLD = {
    "DC405": ("RuntimeError", "ValueError", "AssertionError"),
    "DC101": ("ModuleNotFoundError", CALLED_NONE),
    "DC102": ("ImportError", "AttributeError", CALLED_NONE),
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
    statuses = {wanted.status for wanted in case.expectations}
    for index, version in enumerate((case.known_good, case.target)):
        if version is None:
            continue
        raised = run_consumer(case, version, tmp_path / version / str(index))
        expected = any(BREAKS[status][index] for status in statuses if status in BREAKS)
        assert bool(raised) == expected, f"on {version}: {raised or 'nothing raised'}"
        if raised:
            assert raised.split(":")[0] in foretold or raised in foretold, raised
