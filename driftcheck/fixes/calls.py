"""Changing the arguments of one call."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from driftcheck.fixes.listing import NOTHING, Listing, parts
from driftcheck.fixes.operations import (
    AddArgument,
    AddMapping,
    CallOperation,
    DropArgument,
    DropPositional,
    NamePositional,
    RenameKeyword,
    UnnameKeyword,
)
from driftcheck.fixes.slices import Unparsable, code, expression


def changed_call(text: str, operations: Iterable[CallOperation]) -> str:
    """The call with its arguments changed.

    Raises Unparsable where the text is no call that LibCST reads, or has no such argument.
    """
    call = expression(text)
    if not isinstance(call, cst.Call):
        raise Unparsable(text)
    listing = _listing(call)
    for operation in sorted(dict.fromkeys(operations), key=_turn):
        _perform(listing, operation)
    return code(_rebuilt(call, listing))


def _turn(operation: CallOperation) -> tuple[int, int]:
    """Positions are meant as written, so they come first, from the back; additions come last."""
    match operation:
        case NamePositional(index=index):
            return 0, -index
        case DropPositional(index=index):
            return 1, -index
        case AddArgument() | AddMapping():
            return 3, 0
    return 2, 0


def _perform(listing: Listing[cst.Arg], operation: CallOperation) -> None:
    match operation:
        case DropArgument(name=name):
            _remove(listing, _index(listing, name))
        case DropPositional(index=index):
            _positional(listing, index)
            _remove(listing, index)
        case RenameKeyword(old=old, new=new):
            index = _index(listing, old)
            listing.items[index] = listing.items[index].with_changes(keyword=cst.Name(new))
        case UnnameKeyword(name=name):
            index = _index(listing, name)
            if any(one.keyword is not None or one.star for one in listing.items[:index]):
                raise Unparsable(f"{name} cannot be passed by position there")
            listing.items[index] = listing.items[index].with_changes(
                keyword=None, equal=cst.MaybeSentinel.DEFAULT
            )
        case NamePositional(index=index, name=name):
            argument = _positional(listing, index)
            listing.items[index] = argument.with_changes(keyword=cst.Name(name), equal=_equal())
        case AddArgument(name=name, code=text):
            _add(listing, cst.Arg(expression(text), keyword=cst.Name(name), equal=_equal()))
        case AddMapping(code=text):
            _add(listing, cst.Arg(expression(text), star="**"))


def _remove(listing: Listing[cst.Arg], index: int) -> None:
    if listing.remove(index) is not None:
        # Its comment has nowhere to go inside the brackets.
        raise Unparsable("a comment would be lost")


def _add(listing: Listing[cst.Arg], argument: cst.Arg) -> None:
    if len(listing.items) == 1:
        only = listing.items[0]
        if isinstance(only.value, cst.GeneratorExp) and not only.value.lpar:
            value = only.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            listing.items[0] = only.with_changes(value=value)
    listing.append(argument)


def _equal() -> cst.AssignEqual:
    return cst.AssignEqual(NOTHING, NOTHING)


def _index(listing: Listing[cst.Arg], name: str) -> int:
    for index, argument in enumerate(listing.items):
        if argument.keyword is not None and argument.keyword.value == name:
            return index
    raise Unparsable(f"no argument {name}")


def _positional(listing: Listing[cst.Arg], index: int) -> cst.Arg:
    if index < len(listing.items):
        argument = listing.items[index]
        if argument.keyword is None and not any(one.star for one in listing.items[: index + 1]):
            return argument
    raise Unparsable(f"no positional argument {index}")


def _listing(call: cst.Call) -> Listing[cst.Arg]:
    arguments = list(call.args)
    gaps = [call.whitespace_before_args, *parts(arguments)]
    trailing = bool(arguments) and isinstance(arguments[-1].comma, cst.Comma)
    if arguments and not trailing:
        gaps[-1] = arguments[-1].whitespace_after_arg
    return Listing(arguments, gaps, trailing)


def _rebuilt(call: cst.Call, listing: Listing[cst.Arg]) -> cst.Call:
    arguments = []
    for index, argument in enumerate(listing.items):
        comma = listing.comma(index)
        ends = isinstance(comma, cst.MaybeSentinel)
        after = listing.gaps[-1] if ends else _inner(argument)
        if isinstance(comma, cst.Comma) and isinstance(argument.comma, cst.Comma):
            comma = comma.with_changes(whitespace_before=argument.comma.whitespace_before)
        arguments.append(argument.with_changes(comma=comma, whitespace_after_arg=after))
    return call.with_changes(args=arguments, whitespace_before_args=listing.gaps[0])


def _inner(argument: cst.Arg) -> cst.BaseParenthesizableWhitespace:
    """The whitespace before an argument's own comma, if it has one."""
    return argument.whitespace_after_arg if isinstance(argument.comma, cst.Comma) else NOTHING
