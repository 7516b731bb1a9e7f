"""Adding parameters to a ``def``."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from driftcheck.fixes.listing import NOTHING, Whitespace, divided, plain
from driftcheck.fixes.operations import ParameterWanted
from driftcheck.fixes.slices import Unparsable, code, expression, statement


def changed_header(text: str, wanted: Iterable[ParameterWanted]) -> str:
    """The header of a function (from ``def`` to the colon) with further parameters.

    Ordinary ones go behind the ordinary ones there are, with a default if those have one; what must be a
    keyword, or comes behind ``*args``, goes with the keywords. Raises Unparsable.
    """
    whole = statement(text + " pass\n")
    if not isinstance(whole, cst.FunctionDef):
        raise Unparsable(text)
    parameters = whole.params
    for one in wanted:
        parameters = _added(parameters, one)
    changed = code(whole.with_changes(params=parameters))
    return changed[: changed.rindex(" pass")]


def _added(parameters: cst.Parameters, wanted: ParameterWanted) -> cst.Parameters:
    name = cst.Name(wanted.name)
    if wanted.kind == "var_keyword":
        return _placed(parameters, "star_kwarg", cst.Param(name, star="**"))
    default = expression(wanted.default) if wanted.default is not None else None
    after_star = isinstance(parameters.star_arg, (cst.Param, cst.ParamStar))
    if wanted.kind == "keyword" or after_star:
        return _placed(parameters, "kwonly_params", _parameter(name, default))
    if default is None and any(p.default is not None for p in parameters.params):
        default = cst.Name("None")
    return _placed(parameters, "params", _parameter(name, default))


def _parameter(name: cst.Name, default: cst.BaseExpression | None) -> cst.Param:
    if default is None:
        return cst.Param(name)
    return cst.Param(name, default=default, equal=cst.AssignEqual(NOTHING, NOTHING))


def _placed(parameters: cst.Parameters, group: str, new: cst.Param) -> cst.Parameters:
    """The parameter at the end of its group, with commas and line breaks as the list has them."""
    gap = _gap(parameters)
    owner, previous = _previous(parameters, group)
    if previous is None:
        raise Unparsable("a function without parameters")
    changes: dict[str, object] = {}
    if owner == "posonly_params" and isinstance(parameters.posonly_ind, cst.ParamSlash):
        slash = parameters.posonly_ind
        new = new.with_changes(comma=slash.comma)
        changes["posonly_ind"] = slash.with_changes(comma=cst.Comma(whitespace_after=gap))
    else:
        previous, new = _attached(previous, new, gap)
        changes[owner] = previous if owner == "star_arg" else [*getattr(parameters, owner)[:-1], previous]
    if group == "kwonly_params" and isinstance(parameters.star_arg, cst.MaybeSentinel):
        changes["star_arg"] = cst.ParamStar(comma=cst.Comma(whitespace_after=gap))
    there = changes.get(group, getattr(parameters, group))
    changes[group] = new if group == "star_kwarg" else [*there, new]  # type: ignore[misc]
    return parameters.with_changes(**changes)


def _attached(previous: cst.Param, new: cst.Param, gap: Whitespace) -> tuple[cst.Param, cst.Param]:
    """Both, the second taking over what followed the first."""
    if not isinstance(previous.comma, cst.Comma):
        after = previous.whitespace_after_param
        gap, after = divided(gap, after)
        new = new.with_changes(whitespace_after_param=after, comma=cst.MaybeSentinel.DEFAULT)
        return previous.with_changes(
            comma=cst.Comma(whitespace_after=gap), whitespace_after_param=NOTHING
        ), new
    gap, after = divided(gap, previous.comma.whitespace_after)
    new = new.with_changes(comma=previous.comma.with_changes(whitespace_after=after))
    return previous.with_changes(comma=cst.Comma(whitespace_after=gap)), new


def _previous(parameters: cst.Parameters, group: str) -> tuple[str, cst.Param | None]:
    """The parameter behind which a group ends, and the group that it is of."""
    order = ["kwonly_params", "star_arg", "params", "posonly_params"]
    for name in order[order.index("params") if group == "params" else 0 :]:
        found = getattr(parameters, name)
        if isinstance(found, cst.Param):
            return name, found
        if isinstance(found, (list, tuple)) and found:
            return name, found[-1]
    return "", None


def _gap(parameters: cst.Parameters) -> Whitespace:
    """The whitespace between parameters of this list."""
    for one in _all(parameters):
        if isinstance(one.comma, cst.Comma) and isinstance(
            one.comma.whitespace_after, cst.ParenthesizedWhitespace
        ):
            # A list that is broken only before its end keeps its names on one line.
            broken = [p for p in _all(parameters)[:-1] if not _breaks_after(p)]
            return cst.SimpleWhitespace(" ") if broken else plain(one.comma.whitespace_after)
    return cst.SimpleWhitespace(" ")


def _all(parameters: cst.Parameters) -> list[cst.Param]:
    return [*parameters.posonly_params, *parameters.params, *parameters.kwonly_params]


def _breaks_after(one: cst.Param) -> bool:
    return isinstance(one.comma, cst.Comma) and isinstance(
        one.comma.whitespace_after, cst.ParenthesizedWhitespace
    )
