"""The command line: one file a command; parses, calls, prints.

Nothing heavy is imported here, so that ``driftcheck --help`` and an editor's calls stay fast.
"""

from __future__ import annotations

from driftcheck.cli.run import main

__all__ = ["main"]
