"""What DC101 and DC102 say of a guard that is wrong: the name becomes None, and is called without a test."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.values import Missing
from driftcheck.uses.none_calls import NoneCallUse


def called_none(use: NoneCallUse, view: View, code: str) -> Iterable[Answer]:
    """The answer, if the guarded import fails for what the code is about: its module or its name."""
    module, name, value = use.imported.module, use.imported.name, use.imported.value
    assert isinstance(value, Missing)
    no_module = name is None or value.symbol == module or module.startswith(value.symbol + ".")
    if code != ("DC101" if no_module else "DC102"):
        return
    what = f"no module {value.symbol}" if no_module else f"no {name} in {module}"
    assumed = f", taking {use.function}() to be called" if use.function else ""
    yield Answer(
        code,
        use.path,
        use.callee,
        value.symbol if no_module else f"{module}.{name}",
        f"{use.local} is None in {view.version} and is called: there is {what}, and what catches the failed "
        f"import at line {use.imported.span.line} leaves None{assumed}",
        subject="called",
        confidence="likely" if assumed else "certain",
    )
