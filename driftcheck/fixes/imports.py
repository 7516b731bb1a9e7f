"""Moving names of a ``from`` import to the modules that have them now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import libcst as cst

from driftcheck.fixes.listing import Listing, parts
from driftcheck.fixes.slices import Unparsable, code, statement

MAX_LINE = 88
"""A new import longer than this gets a line for each name."""


@dataclass(frozen=True, slots=True)
class Moved:
    """``name`` is ``new_name`` of ``module`` now; ``gate`` as in :class:`ImportChange`."""

    name: str
    module: str
    new_name: str
    gate: str | None = None


def changed_import(text: str, indent: str, moves: Iterable[Moved]) -> str:
    """The statement with some of its names taken from elsewhere; further statements follow it.

    ``text`` is the statement without the indentation of its first line, ``indent`` that indentation.
    What the names are bound to stays. Raises Unparsable.
    """
    line = statement(_dedented(text, indent))
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    if not isinstance(small, cst.ImportFrom) or isinstance(small.names, cst.ImportStar):
        raise Unparsable(text)
    wanted = {move.name: move for move in moves}
    aliases = list(small.names)
    names = [_name(alias) for alias in aliases]
    moving = [wanted[name] for name in names if name in wanted]
    if len(moving) < len(wanted):
        raise Unparsable(f"no such name in {text}")
    plain = all(move.gate is None for move in moving)
    modules = {move.module for move in moving}
    if plain and len(modules) == 1 and len(moving) == len(aliases):
        return _all_moved(small, modules.pop(), wanted, indent)
    return _some_moved(small, wanted, indent)


def _dedented(text: str, indent: str) -> str:
    return text.replace("\n" + indent, "\n") if indent else text


def _indented(text: str, indent: str) -> str:
    return text.replace("\n", "\n" + indent) if indent else text


def _name(alias: cst.ImportAlias) -> str:
    return alias.evaluated_name


def _all_moved(small: cst.ImportFrom, module: str, wanted: dict[str, Moved], indent: str) -> str:
    assert not isinstance(small.names, cst.ImportStar)
    aliases = [_renamed(alias, wanted[_name(alias)].new_name) for alias in small.names]
    spaced = small.whitespace_after_from.empty
    return _indented(
        code(
            small.with_changes(
                module=_dotted(module),
                relative=[],
                names=aliases,
                whitespace_after_from=cst.SimpleWhitespace(" ") if spaced else small.whitespace_after_from,
            )
        ),
        indent,
    )


def _some_moved(small: cst.ImportFrom, wanted: dict[str, Moved], indent: str) -> str:
    assert not isinstance(small.names, cst.ImportStar)
    old = list(small.names)
    groups: dict[tuple[str, str | None], list[cst.ImportAlias]] = {}
    listing = _listing(small)
    comments: dict[int, str] = {}
    for index in range(len(old) - 1, -1, -1):
        alias = old[index]
        move = wanted.get(_name(alias))
        if move is None:
            continue
        behind = _comment_behind(listing, index)
        if behind is not None:
            comments[id(alias)] = behind
            listing.gaps[index + 1] = _silent(listing.gaps[index + 1])
        if listing.remove(index) is not None:
            raise Unparsable("a comment would be lost")
        groups.setdefault((move.module, move.gate), []).insert(0, alias)
    lines = [code(_rebuilt(small, listing))] if listing.items else _kept_comments(listing)
    for (module, gate), aliases in sorted(groups.items(), key=lambda pair: (pair[0][0], pair[0][1] or "")):
        renamed = [
            (
                alias,
                code(
                    _renamed(alias, wanted[_name(alias)].new_name).with_changes(
                        comma=cst.MaybeSentinel.DEFAULT
                    )
                ),
            )
            for alias in aliases
        ]
        new = _from_import(module, [(text, comments.get(id(alias))) for alias, text in renamed])
        if gate is None:
            lines.append(new)
        else:
            plain: list[tuple[str, str | None]] = [
                (code(alias.with_changes(comma=cst.MaybeSentinel.DEFAULT)), None) for alias in aliases
            ]
            lines.append(_gated(gate, new, _from_import(_source_of(small), plain)))
    return _indented("\n".join(lines), indent)


def _kept_comments(listing: Listing[cst.ImportAlias]) -> list[str]:
    """Comments on lines of their own in a list of names that has become empty."""
    gap = listing.gaps[0]
    if not isinstance(gap, cst.ParenthesizedWhitespace):
        return []
    found = [gap.first_line.comment, *(line.comment for line in gap.empty_lines)]
    return [comment.value for comment in found if comment is not None]


def _gated(gate: str, new: str, old: str) -> str:
    """Both places, the new one first: tried, or chosen by a condition."""
    first, second = "    " + _indented(new, "    "), "    " + _indented(old, "    ")
    if gate == "try":
        return f"try:\n{first}\nexcept ImportError:\n{second}"
    return f"if {gate}:\n{first}\nelse:\n{second}"


def _source_of(small: cst.ImportFrom) -> str:
    return "." * len(small.relative) + (code(small.module) if small.module is not None else "")


def _from_import(module: str, names: list[tuple[str, str | None]]) -> str:
    """A new import; a name with a comment gets a line of its own."""
    joined = f"from {module} import " + ", ".join(text for text, _ in names)
    noted = [comment for _, comment in names if comment]
    if len(names) == 1 and noted:
        return f"{joined}  {noted[0]}"
    if len(joined) <= MAX_LINE and not noted:
        return joined
    rows = [f"    {text},{'  ' + comment if comment else ''}" for text, comment in names]
    return "\n".join([f"from {module} import (", *rows, ")"])


def _comment_behind(listing: Listing[cst.ImportAlias], index: int) -> str | None:
    """The comment that stands behind a name, where the name is alone on its line."""
    before, after = listing.gaps[index], listing.gaps[index + 1]
    if isinstance(before, cst.ParenthesizedWhitespace) and isinstance(after, cst.ParenthesizedWhitespace):
        comment = after.first_line.comment
        return comment.value if comment is not None else None
    return None


def _silent(gap: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    assert isinstance(gap, cst.ParenthesizedWhitespace)
    line = gap.first_line.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))
    return gap.with_changes(first_line=line)


def _renamed(alias: cst.ImportAlias, new: str) -> cst.ImportAlias:
    """The alias taking ``new``, bound to the same name as before."""
    if _name(alias) == new:
        return alias
    bound = alias.evaluated_alias or _name(alias)
    if bound == new:
        return alias.with_changes(name=cst.Name(new), asname=None)
    asname = alias.asname or cst.AsName(name=cst.Name(bound), whitespace_before_as=cst.SimpleWhitespace(" "))
    return alias.with_changes(name=cst.Name(new), asname=asname)


def _dotted(module: str) -> cst.Name | cst.Attribute:
    first, *rest = module.split(".")
    node: cst.Name | cst.Attribute = cst.Name(first)
    for part in rest:
        node = cst.Attribute(node, cst.Name(part))
    return node


def _listing(small: cst.ImportFrom) -> Listing[cst.ImportAlias]:
    assert not isinstance(small.names, cst.ImportStar)
    aliases = list(small.names)
    lead = small.lpar.whitespace_after if small.lpar else small.whitespace_after_import
    gaps = [lead, *parts(aliases)]
    trailing = isinstance(aliases[-1].comma, cst.Comma)
    if not trailing and small.rpar is not None:
        gaps[-1] = small.rpar.whitespace_before
    return Listing(aliases, gaps, trailing)


def _rebuilt(small: cst.ImportFrom, listing: Listing[cst.ImportAlias]) -> cst.ImportFrom:
    aliases = []
    for index, alias in enumerate(listing.items):
        comma = listing.comma(index)
        if isinstance(comma, cst.Comma) and isinstance(alias.comma, cst.Comma):
            comma = comma.with_changes(whitespace_before=alias.comma.whitespace_before)
        aliases.append(alias.with_changes(comma=comma))
    if small.lpar is None or small.rpar is None:
        return small.with_changes(names=aliases)
    lpar = small.lpar.with_changes(whitespace_after=listing.gaps[0])
    rpar = small.rpar if listing.trailing else small.rpar.with_changes(whitespace_before=listing.gaps[-1])
    return small.with_changes(names=aliases, lpar=lpar, rpar=rpar)
