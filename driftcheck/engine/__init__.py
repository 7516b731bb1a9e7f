"""One session: resolve, run every check on both versions, compare."""

from driftcheck.engine.session import CheckOptions, check

__all__ = ["CheckOptions", "check"]
