"""Facts about this installation, as a bug report needs them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from driftcheck import __version__

_NEEDED = (
    "click",
    "libcst",
    "msgspec",
    "networkx",
    "packaging",
    "platformdirs",
    "pypi-simple",
    "requests",
    "rich",
)
_EXTRAS = ("pygls", "mcp")


def version_text() -> str:
    """driftcheck's version on the first line, then one fact a line."""
    python = ".".join(map(str, sys.version_info[:3]))
    head = f"driftcheck {__version__} ({sys.implementation.name} {python}, {sys.platform})"
    return "\n".join([head, *(f"  {label:<10}{fact}" for label, fact in _facts())])


def _facts() -> Iterator[tuple[str, str]]:
    from driftcheck.rulesdb import RulesError, rules_root
    from driftcheck.sources.cache import cache_root

    yield "platform", platform.platform()
    yield "python", sys.executable
    yield "package", str(Path(__file__).resolve().parent.parent)
    try:
        yield "rules", str(rules_root())
    except RulesError as error:
        yield "rules", str(error)
    yield "cache", str(cache_root())
    yield "needs", ", ".join(f"{name} {_version(name)}" for name in _NEEDED)
    yield "extras", ", ".join(f"{name} {_version(name)}" for name in _EXTRAS)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(not installed)"
