"""How deep a text nests, told without a parser: LibCST's native one ends the process where its stack does.

CPython refuses what nests too deeply; LibCST's parser overflows the stack or takes time that grows with
the square of a chain's length. Whatever is handed to it is measured here first.
"""

from __future__ import annotations

import re

from driftcheck.index.outline import blank_text

MAX_BRACKETS = 150
"""CPython takes 200 brackets within each other; LibCST's stack ends somewhere between 1,000 and 2,500."""
MAX_CHAIN = 1_500
"""Tokens of one expression without a comma: ``a.b.c``, ``a + b + c``, ``not not a``, ``"a" "b"``."""
MAX_BRANCHES = 500
"""Each ``elif`` hangs below the one before it."""

_TOKEN = re.compile(r"[(\[{]|[)\]}]|[,;]|\n|\w+|[^\s\w]")


def is_too_deep(text: str) -> bool:
    """Whether a native parser that descends recursively could fail on ``text``; never raises."""
    if len(text) < MAX_BRACKETS:
        return False
    blank = blank_text(text.lstrip("\n"))  # a piece of a file is led by the newlines before it
    if blank.count("elif") > MAX_BRANCHES:
        return True
    chains = [0]
    for match in _TOKEN.finditer(blank):
        token = match.group()
        if token in "([{":
            chains[-1] += 1
            chains.append(0)
        elif token in ")]}":
            if len(chains) > 1:
                chains.pop()
        elif token in ",;" or (token == "\n" and len(chains) == 1):
            chains[-1] = 0
        elif token != "\n":
            chains[-1] += 1
        if len(chains) > MAX_BRACKETS or chains[-1] > MAX_CHAIN:
            return True
    return False
