"""Where the provider itself calls a function in the way that its source refuses: what is installed is another one.

A source archive may hold an old copy of what the build fetches anew.
"""

from __future__ import annotations

import ast

from driftcheck.checks.answer import View
from driftcheck.infer.callsites import Site, function_sites
from driftcheck.infer.values import ClassValue, FunctionValue, Value
from driftcheck.infer.world import World


def passed_by_provider(view: View, callee: Value, keyword: str) -> bool:
    """Whether some call of the provider gives a function of its modules the keyword that it does not take."""
    if not isinstance(callee, FunctionValue) or callee.definition.owner is not None:
        return False
    function = callee.definition
    return view.world.is_provider(function.module) and any(
        any(given.arg == keyword for given in site.call.keywords) and _may_be(view.world, site, function)
        for site in function_sites(view.world, function.name)
        if site.call is not None and site.module is not function.module
    )


def _may_be(world: World, site: Site, function: object) -> bool:
    """Whether a call is of the function, as far as its name at the top of the module says."""
    if not isinstance(site.node, ast.Name):
        return False
    value = world.member(site.module, site.node.id)
    return not isinstance(value, (FunctionValue, ClassValue)) or value.definition is function
