"""The one error of this room."""

from __future__ import annotations

from pathlib import Path


class RulesError(ValueError):
    """A rule page or a facts file says something that cannot be meant; the message names file and line."""

    @classmethod
    def at(cls, path: Path | str, line: int | None, problem: str) -> RulesError:
        """The error for a place in a file: ``path:line: problem``, without the line where none is known."""
        place = f"{path}:{line}" if line is not None else str(path)
        return cls(f"{place}: {problem}")


def refuse_irregular(path: Path) -> None:
    """Raises RulesError for what is there and no regular file: reading a pipe or a device would never end."""
    if path.exists() and not path.is_file():
        raise RulesError.at(path, None, "no regular file")
