"""What is known of the terminal: whether it is one, its width, whether colour is wanted."""

from __future__ import annotations

import os
import shutil
from typing import IO, Any


def color_wanted(stream: IO[Any]) -> bool:
    """Colour on a terminal that is not dumb, or where FORCE_COLOR asks for it; never under NO_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width_of(stream: IO[Any]) -> int | None:
    """The terminal's width, or the one that COLUMNS gives; None for a file or a pipe without either."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return max(int(columns), 40)
    if not stream.isatty():
        return None
    return max(shutil.get_terminal_size().columns, 40)
