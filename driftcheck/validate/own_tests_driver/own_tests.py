"""Runs pytest in this process; every test is a step, and what it raises is told as it was raised."""

from __future__ import annotations

import importlib
import json
import os


class Telling:
    """A plugin that tells of each test."""

    def __init__(self, run) -> None:  # type: ignore[no-untyped-def]
        self._run = run
        self._raised: dict[str, BaseException] = {}

    def pytest_exception_interact(self, node, call, report) -> None:  # type: ignore[no-untyped-def]
        self._raised[getattr(report, "nodeid", node.nodeid)] = call.excinfo.value

    def pytest_collectreport(self, report) -> None:  # type: ignore[no-untyped-def]
        if report.failed:
            error = self._raised.get(report.nodeid)
            # pytest wraps what a module raised on import; the cause has the frames.
            self._tell(
                report.nodeid, (error.__cause__ or error) if error else RuntimeError(str(report.longrepr))
            )

    def pytest_runtest_logreport(self, report) -> None:  # type: ignore[no-untyped-def]
        if report.failed:
            self._tell(report.nodeid, self._raised.get(report.nodeid) or RuntimeError(str(report.longrepr)))
        elif report.when == "call" and report.passed:
            with self._run.step(report.nodeid, "core"):
                pass

    def _tell(self, name: str, error: BaseException) -> None:
        try:
            with self._run.step(name, "core"):
                raise error
        except Exception:
            pass


def drive(run) -> None:  # type: ignore[no-untyped-def]
    import pytest

    # The overlay's modules are imported first: a project's settings may put its own sources before it.
    for name in run.packages:
        try:
            importlib.import_module(name)
        except ImportError:
            break  # the tests will say so, where it matters
    os.chdir(os.environ["DRIFTCHECK_CALLER"])
    arguments = ["-p", "no:cacheprovider", "-q", *json.loads(run.parameters["arguments"])]
    code = pytest.main(arguments, plugins=[Telling(run)])
    if code not in (0, 1, 2):
        why = {4: "pytest was used wrongly", 5: "pytest found no test"}
        run.unfit(why.get(int(code), f"pytest ended with status {int(code)}"))
