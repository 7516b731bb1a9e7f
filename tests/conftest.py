"""Helpers for every test: released trees and reports, read once a session."""

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:  # test data modules are imported as `truth.table`, `corpus.cases`, …
    sys.path.insert(0, str(HERE))

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A shell that starts the tests in the background has them, and all that they start, ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def fixtures_dir() -> Path:
    """Where the project's own small packages and recorded facts are."""
    return HERE.parent / "fixtures"


@pytest.fixture(scope="session")
def release() -> Callable:
    """``release("vllm==0.16.0", role="provider")``: the tree of a release, fetched once."""
    from corpus.session import release

    return release


@pytest.fixture(scope="session")
def report() -> Callable:
    """``report("speculators==0.3.0", "vllm==0.16.0", "vllm==0.11.0")``: a check in this process, run once."""
    from corpus.session import report

    return report


@pytest.fixture(scope="session")
def findings_at() -> Callable:
    """``findings_at(report, "pkg/mod.py", 12)``: the findings whose path ends so, on that line."""
    from corpus.session import findings_at

    return findings_at


@pytest.fixture(scope="session")
def run_cli() -> Callable:
    """``run_cli("check", "src/", cwd=…)``: the installed command in a process of its own."""
    from corpus.session import run_cli

    return run_cli
