"""Takes what is particular to a machine out of texts that a result keeps."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
# What no given root explains still is of this machine.
_ELSEWHERE = re.compile(r"(?<![\w.>:/])/(?:usr|home|root|opt|tmp|var|mnt|srv|work|Users)(?:/[\w.+@-]+)*")
_PID = re.compile(r"\b(pid[= ])\d+")


class Scrubber:
    """Replaces the given directories by their names in angle brackets, the longest first."""

    def __init__(self, roots: Mapping[str, str]) -> None:
        pairs: dict[str, str] = {}
        for root, name in roots.items():
            for spelled in (root, os.path.realpath(root)) if root else ():
                if len(spelled) > 1:
                    pairs.setdefault(spelled.rstrip("/"), name)
        self._pairs = sorted(pairs.items(), key=lambda pair: -len(pair[0]))

    def __call__(self, text: str) -> str:
        """The text without machine paths, addresses and process ids."""
        for root, name in self._pairs:
            text = text.replace(root, f"<{name}>")
        return _PID.sub(r"\1…", _ADDRESS.sub("0x…", _ELSEWHERE.sub("<elsewhere>", text)))

    def deep(self, value: object) -> object:
        """A JSON value with every text in it scrubbed."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, dict):
            return {key: self.deep(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.deep(item) for item in value]
        return value
