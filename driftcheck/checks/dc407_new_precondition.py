"""DC407: a function of the provider now needs another call, which the consumer never makes."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.infer.preconditions import Precondition, leading_to, new_preconditions, setters_of
from driftcheck.infer.repeats import enclosing_function, parents_of
from driftcheck.infer.splits import Split, split_of
from driftcheck.infer.states import methods_of
from driftcheck.infer.straight import returns_before
from driftcheck.infer.values import ClassValue, FunctionValue, Value, options
from driftcheck.uses import CallUse, Use


def evaluate_pair(use: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(use, CallUse) or not isinstance(known_good, CallUse):
        return
    now, earlier = _function(view, use.callee), _function(before, known_good.callee)
    if now is None or earlier is None or now.definition.text == earlier.definition.text:
        return
    for precondition in new_preconditions(view.world, now, earlier.definition):
        if not _is_met(use, view, precondition) and not use.caught & {
            precondition.guard.exception,
            "Exception",
        }:
            yield _needed(use, view, precondition)
            return
    split = split_of(view.world, now, before.world, earlier)
    if split is not None and not _runs(view, split):
        yield _split(use, view, before, split)


def _function(view: View, callee: Value) -> FunctionValue | None:
    """The provider's function or method that a call meets, where there is one."""
    found = options(callee)
    if (
        len(found) == 1
        and isinstance(found[0], FunctionValue)
        and view.world.is_provider(found[0].definition.module)
    ):
        return found[0]
    return None


def _is_met(use: CallUse, view: View, precondition: Precondition) -> bool:
    """Whether the consumer sets the state, or calls before what may set it."""
    consumer = view.world.consumer
    if consumer.files_mentioning(precondition.attribute):
        return True
    setters = setters_of(view.world, precondition.cls, precondition.attribute)
    if any(consumer.files_mentioning(s.name) for s in setters if not s.name.startswith("__")):
        return True
    leading = leading_to(view.world, setters)
    return any(
        _names(other.callee) & leading
        for other in view.uses.uses
        if isinstance(other, CallUse) and _may_precede(view, other, use)
    )


def _names(callee: Value) -> set[str]:
    found: set[str] = set()
    for option in options(callee):
        match option:
            case FunctionValue(definition=function):
                found.add(function.name)
            case ClassValue(definition=cls):
                found.add(cls.name)
    return found


def _may_precede(view: View, other: CallUse, use: CallUse) -> bool:
    """Whether a call may come before another: not where both stand in one function, the wrong way round."""
    if other.path != use.path or other.span.line < use.span.line:
        return True
    module = view.world.consumer.module(view.world.consumer.module_name(use.path))
    if module is None:
        return True
    parents = parents_of(view.world, module)
    return enclosing_function(parents, other.node) is not enclosing_function(parents, use.node)


def _needed(use: CallUse, view: View, precondition: Precondition) -> Answer:
    guard, function = precondition.guard, precondition.function
    setters = setters_of(view.world, precondition.cls, precondition.attribute)
    named = [s.name for s in setters if not s.name.startswith("_")]
    by = next((name for name in named if name in guard.text), named[0] if named else None)
    first = f"; {by}() sets it" if by else ""
    raises = f'{guard.exception}("{guard.text}")' if guard.text else guard.exception
    message = (
        f"{function.name}() raises {raises} in {view.version} unless "
        f"{precondition.cls.name}.{precondition.attribute} was set before "
        f"({guard.function.module.path}:{guard.line}), which nothing here does{first}"
    )
    if returns_before(function.node, precondition.line):
        message += f"; assumes that {function.name}() gets as far as line {precondition.line}"
    else:
        message += "; assumes that nothing else has set it"
    return Answer(
        "DC407",
        use.path,
        use.span,
        function.qualname,
        message,
        subject=precondition.attribute,
        confidence="likely",
        evidence=(
            view.evidence(function.module, precondition.line),
            view.evidence(guard.function.module, guard.line),
        ),
    )


def _runs(view: View, split: Split) -> bool:
    """Whether the consumer names the new method, or calls another of the class that runs it."""
    if view.world.consumer.files_mentioning(split.new.name):
        return True
    owner = split.new.owner
    if owner is None:
        return False
    called = _called(view)
    return any(m.name in called and f"self.{split.new.name}" in m.text for m in methods_of(view.world, owner))


def _called(view: View) -> set[str]:
    """The names of all that the consumer calls."""
    if "called" not in view.world.cache:
        view.world.cache["called"] = {
            name for use in view.uses.uses if isinstance(use, CallUse) for name in _names(use.callee)
        }
    names: set[str] = view.world.cache["called"]
    return names


def _split(use: CallUse, view: View, before: View, split: Split) -> Answer:
    name, new = split.now.name, split.new
    message = (
        f"{name}() no longer runs {split.call} in {view.version} (it did in {before.version}): "
        f"{new.name}() does, and is never called here; assumes that the step is still wanted"
    )
    return Answer(
        "DC407",
        use.path,
        use.span,
        split.now.qualname,
        message,
        subject=new.name,
        severity="warning",
        confidence="likely",
        evidence=(
            before.evidence(split.before.module, split.line),
            view.evidence(new.module, new.line),
        ),
    )
