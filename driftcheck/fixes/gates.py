"""How code that is to work on two versions tells them apart."""

from __future__ import annotations

from driftcheck.fixes.proposal import Job, Style


def gate_of(job: Job, style: Style | None) -> str | None:
    """How an import of two places chooses: ``try``, a condition, or None where one place is enough."""
    if style is None:
        return None
    return "try" if style == "shim" else version_test(job)


def version_test(job: Job) -> str:
    """An expression that is true from the target on; it needs ``NAMES_NEEDED`` of :func:`gate_imports`."""
    package = job.view.world.provider.packages[0]
    return f'Version({package}.__version__) >= Version("{job.view.version}")'


def gate_imports(job: Job) -> tuple[str, str]:
    """The import statements that a version test needs."""
    return f"import {job.view.world.provider.packages[0]}", "from packaging.version import Version"
