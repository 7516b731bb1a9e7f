"""A region of a source file."""

import msgspec


class Span(msgspec.Struct, frozen=True, order=True):
    """A half-open region: lines and columns count from 1, columns in code points, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
