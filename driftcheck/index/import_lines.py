"""Import statements read without a parser: there are dozens in every module, and most say one plain thing."""

from __future__ import annotations

import ast
import keyword
import re

_NAME = r"[^\W\d]\w*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})*"
_FROM = re.compile(rf"from[ \t]+(?P<level>\.*)(?P<module>{_DOTTED})?[ \t]+import[ \t]*(?P<rest>[^;]*)\Z")
_IMPORT = re.compile(r"import[ \t]+(?P<rest>[^;()]*)\Z")
_KEYWORDS = frozenset(keyword.kwlist)
_ALIAS = re.compile(rf"(?P<name>{_DOTTED})(?:\s+as\s+(?P<asname>{_NAME}))?\Z")


def plain_import(blank: str) -> ast.Import | ast.ImportFrom | None:
    """The statement that a piece of text is, without positions; None where only a parser can tell.

    ``blank``: the statement's text with strings and comments blanked, as an outline gives it.
    """
    found = _FROM.match(blank)
    if found is not None:
        module, level, rest = found.group("module"), len(found.group("level")), found.group("rest").strip()
        names = _aliases(_unwrapped(rest), dotted=False) if rest != "*" else [ast.alias("*")]
        if names is None or not (module or level) or _is_word(module):
            return None
        return ast.ImportFrom(module, names, level)
    found = _IMPORT.match(blank)
    if found is not None and "\n" not in blank:
        names = _aliases(found.group("rest"), dotted=True)
        return ast.Import(names) if names is not None else None
    return None


def _unwrapped(rest: str) -> str:
    """What stands in the parentheses, if there are any; nonsense, which no alias matches, for anything odd."""
    if rest.startswith("(") and rest.endswith(")"):
        return rest[1:-1].strip().removesuffix(",")
    return rest if "\n" not in rest and "(" not in rest else "("


def _aliases(text: str, dotted: bool) -> list[ast.alias] | None:
    names: list[ast.alias] = []
    for piece in text.split(","):
        found = _ALIAS.match(piece.strip())
        if found is None:
            return None
        name, asname = found.group("name", "asname")
        if _is_word(name) or _is_word(asname) or ("." in name and not dotted):
            return None
        names.append(ast.alias(name, asname))
    return names


def _is_word(name: str | None) -> bool:
    """Whether a part of a dotted name is no name but a keyword, or not written in its normal form."""
    if name is None:
        return False
    return not name.isascii() or not _KEYWORDS.isdisjoint(name.split("."))
