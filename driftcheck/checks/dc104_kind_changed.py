"""DC104: a name of the provider is no longer the kind of thing that the consumer uses it as."""

from __future__ import annotations

from collections.abc import Iterable
from types import FunctionType

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.callables import has_opaque_decorator
from driftcheck.infer.subclasses import put_from_outside
from driftcheck.infer.values import ClassValue, FunctionValue, ModuleValue, Value, options
from driftcheck.model import Evidence
from driftcheck.model.finding import Confidence
from driftcheck.uses import AttributeUse, CallUse, Use, ValueUse

_AS_CLASS: dict[str, tuple[str, Confidence]] = {
    "base": ("it cannot be subclassed", "certain"),
    "class-check": ("it is no class to check against", "certain"),
    "later-class-check": (
        "it is no class to check against, taking the classes before it not to match",
        "likely",
    ),
    "class-argument": ("it is passed where a class is declared, taking the callee to need one", "likely"),
    "subscript": ("it cannot be subscripted", "certain"),
}


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    match use:
        case ValueUse(how=how, value=value) if how in _AS_CLASS and not use.caught & {"TypeError"}:
            if _all_classless(view, value):
                consequence, confidence = _AS_CLASS[how]
                yield _answer(use, view, options(value)[0], consequence, confidence)
        case CallUse(callee=callee) if not use.caught & {"TypeError"}:
            if all(isinstance(option, ModuleValue) for option in options(callee)):
                yield _answer(use, view, options(callee)[0], "it cannot be called", "certain")
        case AttributeUse() if not use.caught & {"AttributeError"}:
            yield from _read(use, view)


def _all_classless(view: View, value: Value) -> bool:
    """Whether a value is a plain function or a module whatever path was taken."""
    return all(
        isinstance(option, ModuleValue)
        or (
            isinstance(option, FunctionValue)
            and option.receiver is None
            and view.world.is_provider(option.definition.module)
            and not has_opaque_decorator(view.world, option.definition)
        )
        for option in options(value)
    )


def _read(use: AttributeUse, view: View) -> Iterable[Answer]:
    """An attribute that a class had and that its successor of another kind does not have."""
    receivers = [value for value, _ in use.answers]
    if all(isinstance(value, FunctionValue) for value in receivers):
        if (
            not _all_classless(view, use.receiver)
            or use.name in dir(FunctionType)
            or put_from_outside(view.world, use.name)
        ):
            return
        function = receivers[0]
        assert isinstance(function, FunctionValue)
        if function.definition.decorators and not _was(use, view, ClassValue):
            return
    elif all(found.status == "missing" for _, found in use.answers):
        was = ModuleValue if isinstance(receivers[0], ClassValue) else ClassValue
        if not isinstance(receivers[0], (ClassValue, ModuleValue)) or not _was(use, view, was):
            return
        if isinstance(receivers[0], ModuleValue) and (receivers[0].name, use.name) in view.uses.injected:
            return
    else:
        return
    yield _answer(use, view, receivers[0], f"it has no attribute {use.name}", "certain")


def _was(use: Use, view: View, kind: type[Value]) -> bool:
    """Whether what the use asks was of a kind on known-good."""
    if view.before is None:
        return False
    earlier = [one for one in view.before.uses.by_key.get(use.key, ()) if isinstance(one, AttributeUse)]
    return bool(earlier) and all(isinstance(value, kind) for one in earlier for value, _ in one.answers)


def _answer(use: Use, view: View, value: Value, consequence: str, confidence: Confidence) -> Answer:
    symbol, kind, evidence = _described(view, value)
    return Answer(
        "DC104",
        use.path,
        use.span,
        symbol,
        f"{symbol.rpartition('.')[2]} is {kind} in {view.version}: {consequence}",
        confidence=confidence,
        evidence=evidence,
    )


def _described(view: View, value: Value) -> tuple[str, str, tuple[Evidence, ...]]:
    """A value's qualified name, its kind in words, and the line that makes it so."""
    match value:
        case FunctionValue(definition=function):
            return function.qualname, "a function", (view.evidence(function.module, function.line),)
        case ClassValue(definition=cls):
            return cls.qualname, "a class", (view.evidence(cls.module, cls.line),)
        case ModuleValue(name=name):
            module = view.world.module(name)
            return name, "a module", (view.evidence(module, 1),) if module else ()
    return "", "something else", ()
