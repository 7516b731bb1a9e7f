"""Where rules/ lies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from driftcheck.rulesdb.errors import RulesError

_PACKAGE = Path(__file__).resolve().parent.parent


def rules_root() -> Path:
    """The directory of driftcheck's own rules: ``driftcheck/_rules``, or the ``rules`` of a checkout.

    The installed place is asked first, since a ``rules`` directory beside an installed package is
    somebody else's. Raises RulesError where neither is there.
    """
    for place in (_PACKAGE / "_rules", _PACKAGE.parent / "rules"):
        if (place / "checks").is_dir():
            return place
    raise RulesError.at(_PACKAGE, None, "driftcheck's rules are missing: reinstall driftcheck")


def rules_roots(user: Iterable[Path] = ()) -> tuple[Path, ...]:
    """driftcheck's own rules, then the user's directories in the order given.

    Raises RulesError for a user directory that does not exist.
    """
    roots = [rules_root()]
    for directory in user:
        if not directory.is_dir():
            raise RulesError.at(directory, None, "no such rules directory")
        roots.append(directory)
    return tuple(roots)
