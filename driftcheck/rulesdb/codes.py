"""The codes that there are, read from the heads of their pages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

import msgspec

from driftcheck.model.finding import Severity
from driftcheck.rulesdb.errors import RulesError, refuse_irregular
from driftcheck.rulesdb.frontmatter import read_front_matter
from driftcheck.rulesdb.roots import rules_roots


class CodeInfo(msgspec.Struct, frozen=True):
    """What a page's head says about a code, and where the page is."""

    code: str
    name: str
    severity: Severity
    since: str
    path: Path


def page_files(root: Path) -> list[Path]:
    """The rule pages below a rules directory, sorted by name."""
    return sorted((root / "checks").glob("*.md"))


def load_codes(user: Iterable[Path] = ()) -> dict[str, CodeInfo]:
    """Every code with a page, in the order of the codes; only the pages' heads are read.

    ``user`` are further rules directories. Raises RulesError for a malformed head and for two pages
    of one code.
    """
    found: dict[str, CodeInfo] = {}
    for root in rules_roots(user):
        for path in page_files(root):
            info = read_code(path)
            if info.code in found:
                raise RulesError.at(path, 1, f"{info.code} already has a page: {found[info.code].path}")
            found[info.code] = info
    return dict(sorted(found.items()))


def read_code(path: Path) -> CodeInfo:
    """The head of one page. Raises RulesError."""
    refuse_irregular(path)
    try:
        with path.open(encoding="utf-8") as lines:
            head, _ = read_front_matter(path, lines)
    except UnicodeDecodeError as error:
        raise RulesError.at(path, None, f"not UTF-8: {error.reason}") from error
    except OSError as error:
        raise RulesError.at(path, None, f"cannot be read: {error.strerror or error}") from error
    return CodeInfo(
        code=head["code"],
        name=head["name"],
        severity=cast(Severity, head["severity"]),
        since=head["since"],
        path=path,
    )
