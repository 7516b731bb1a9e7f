"""Where the pages of the checks are read on the web."""

from __future__ import annotations

HOME = "https://github.com/driftcheck/driftcheck"


def rule_page(code: str, name: str) -> str:
    """The address of a check's page."""
    return f"{HOME}/blob/main/rules/checks/{code}-{name}.md"
