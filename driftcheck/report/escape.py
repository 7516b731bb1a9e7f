"""Text from analysed sources, made harmless for a terminal."""

from __future__ import annotations

import unicodedata

_TAB = "    "
# Cc: control characters (escape sequences). Cf: invisible ones, the bidirectional overrides among
# them. Cs: lone surrogates, which no encoding takes. Zl and Zp: line breaks that no editor counts.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text with tabs as spaces and each character that could steer a terminal as its escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character == "\t":
        return _TAB
    if unicodedata.category(character) not in _UNSAFE:
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
