"""DC302: a base of the consumer's class has an abstract method that the class does not implement."""

from __future__ import annotations

from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.holding import function_evidence
from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import FunctionDef
from driftcheck.infer.abstract import unimplemented
from driftcheck.infer.callables import kind_of
from driftcheck.infer.hierarchy import mro
from driftcheck.infer.overrides import ancestry
from driftcheck.model import Related
from driftcheck.uses import ClassUse, Use


def evaluate(use: Use, view: View) -> Iterable[Answer]:
    if not isinstance(use, ClassUse) or use.assumed is not None:
        return
    world = view.world
    left = unimplemented(world, ancestry(world, use.cls))
    if not left or any(not world.is_provider(function.module) for function in left):
        return
    below = _subclasses(view, use.cls)
    if below and any(_implements(view, other, [f.name for f in left]) for other in below):
        return
    if any(_has_same(view, parent, left) for parent in mro(world, use.cls).order[1:]):
        return
    names = ", ".join(function.name for function in left)
    base = left[0].owner
    several = len(left) > 1
    yield Answer(
        "DC302",
        use.path,
        use.span,
        left[0].qualname,
        f"{use.cls.name} cannot be instantiated in {view.version}: it does not implement the abstract "
        f"method{'s' if several else ''} {names} of {base.name if base else 'its base'}",
        subject=names,
        confidence="possible"
        if _is_namespace(view, left) or _is_like_its_base(view, use.cls, left)
        else "certain",
        evidence=tuple(e for function in left for e in function_evidence(view, function)),
        related=tuple(Related(o.module.path, o.line, f"{o.name} inherits it") for o in below),
    )


def _is_namespace(view: View, left: list[FunctionDef]) -> bool:
    """Whether the methods are called on the class, so that nobody may ever make an object of it."""
    return all(kind_of(view.world, function) in ("static", "class") for function in left)


def _is_like_its_base(view: View, cls: ClassDef, left: list[FunctionDef]) -> bool:
    """Whether the nearest class of the provider, which declares none of them, leaves the same methods.

    Objects of that one cannot be made either: where it has class methods, both may be there for those only.
    """
    world = view.world
    nearest = next(iter(ancestry(world, cls).provider_classes(world)), None)
    if nearest is None or any(function.owner is nearest for function in left):
        return False
    if not any(kind_of(world, function) in ("static", "class") for function in nearest.methods()):
        return False
    above = unimplemented(world, ancestry(world, nearest))
    return above is not None and {f.qualname for f in above} == {f.qualname for f in left}


def _subclasses(view: View, cls: ClassDef) -> list[ClassDef]:
    """The consumer's classes below one, as far as they were met."""
    uses = [use for use in view.uses.uses if isinstance(use, ClassUse) and use.cls is not cls]
    return [use.cls for use in uses if cls in mro(view.world, use.cls).order]


def _implements(view: View, cls: ClassDef, names: list[str]) -> bool:
    """Whether a subclass has some of them: then what it leaves out is told of the subclass itself."""
    left = unimplemented(view.world, ancestry(view.world, cls))
    return left is None or {f.name for f in left} != set(names)


def _has_same(view: View, parent: object, left: list[FunctionDef]) -> bool:
    """Whether a class of the consumer above already lacks the same methods."""
    if not isinstance(parent, ClassDef) or view.world.is_provider(parent.module):
        return False
    above = unimplemented(view.world, ancestry(view.world, parent))
    return above is not None and {f.qualname for f in above} == {f.qualname for f in left}
