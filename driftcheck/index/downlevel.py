"""Newer grammar for an older interpreter: a position-preserving rewrite by LibCST.

``ast`` accepts the grammar of the running interpreter only. LibCST's parser knows newer grammar;
where ``ast`` refuses a file, the constructs that a Python 3.11 lacks are overwritten in place, each
by text of the same length, so that every position stays what it is in the file.
"""

from __future__ import annotations

from driftcheck.index.nesting import is_too_deep


def downlevel(text: str) -> str | None:
    """``text`` with newer constructs blanked; None where LibCST refuses it too or nothing changed."""
    if is_too_deep(text):
        return None
    import libcst as cst
    from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        spans = wrapper.resolve(ByteSpanPositionProvider)
    except Exception:  # LibCST raises its own errors, RecursionError and panics of its native parser
        return None
    data = bytearray(text.encode())

    def region(node: cst.CSTNode) -> tuple[int, int]:
        span = spans[node]
        return span.start, span.start + span.length

    def blank(start: int, end: int, filler: bytes = b" ") -> None:
        for at in range(start, end):
            if data[at] not in b"\r\n":
                data[at] = filler[0]

    class Rewriter(cst.CSTVisitor):
        def visit_TypeParameters(self, node: cst.TypeParameters) -> bool:
            blank(*region(node))
            return False

        def visit_TypeAlias(self, node: cst.TypeAlias) -> bool:
            start, _ = region(node)
            data[start : start + 4] = b"_t ="
            return True

        def visit_FormattedString(self, node: cst.FormattedString) -> bool:
            start, end = region(node)
            data[start:end] = (
                b'"' + b" " * (end - start - 2) + b'"'
                if b"\n" not in data[start:end]
                else (b'"""' + bytes(c if c in b"\r\n" else 32 for c in data[start + 3 : end - 3]) + b'"""')
            )
            return False

    wrapper.module.visit(Rewriter())
    older = data.decode()
    return older if older != text else None
