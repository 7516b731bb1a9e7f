"""Lines of consumer files as a reader counts them."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Callable


class SourceLines:
    """Consumer files as lines of text, each read once; None where a file cannot be read."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._files: dict[str, list[str] | None] = {}

    def line(self, path: str, number: int) -> str | None:
        """The line, counted from 1, without its end."""
        if path not in self._files:
            self._files[path] = self._load(path)
        lines = self._files[path]
        return lines[number - 1] if lines is not None and 0 < number <= len(lines) else None

    def _load(self, path: str) -> list[str] | None:
        try:
            data = self._read(path)
        except OSError:
            return None
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            text = data.decode(encoding, "replace")
        except (SyntaxError, LookupError):
            text = data.decode("utf-8", "replace")
        # Not splitlines(): that also breaks at form feeds and other characters that Python does not.
        return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
