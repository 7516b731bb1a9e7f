"""The exit statuses: a contract with users."""

from __future__ import annotations

CLEAN = 0
FOUND = 1
USAGE = 2
UNCHECKED = 3
INTERRUPTED = 130
