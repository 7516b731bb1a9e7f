"""DC304 where a test only says what the object is part of: new callers give keywords that are not taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from driftcheck.checks.answer import Answer, View
from driftcheck.checks.dc103_bound_functions import own_reads
from driftcheck.checks.holding import caller_name, function_evidence, site_evidence
from driftcheck.index.classes import ClassDef
from driftcheck.index.subclassing import Place, all_below
from driftcheck.infer.callables import signature_of
from driftcheck.infer.families import has, losses
from driftcheck.infer.implementers import implementers, lacks, most_followed
from driftcheck.infer.narrowed import Narrowed
from driftcheck.infer.part_calls import PartCall, part_calls
from driftcheck.model import Related
from driftcheck.model.finding import Confidence
from driftcheck.uses import BoundUse, Use
from driftcheck.uses.holding import name_span

HALF = 0.5
"""The share of the classes that must make such calls for the break to be likely."""


def evaluate_pair(target: Use, known_good: Use, view: View, before: View) -> Iterable[Answer]:
    if not isinstance(target, BoundUse) or not isinstance(known_good, BoundUse):
        return
    if target.part is None or not target.part.parts or known_good.part is None:
        return
    kept = _kept_reads(target, view, before)
    calls = [
        call for call in _refused(target, view) if all(has(view.world, call.part, name) for name in kept)
    ]
    new = Counter(keyword for call in calls for keyword in call.keywords)
    for call in _refused(known_good, before, new) if new else ():
        for keyword in call.keywords:
            del new[keyword]
    for keyword, _ in new.most_common(1):
        yield _answer(view, target, target.part, [one for one in calls if keyword in one.keywords], keyword)


def _refused(use: BoundUse, view: View, keywords: Iterable[str] | None = None) -> list[PartCall]:
    """The calls that classes of the provider make of such parts and that the replacement does not take."""
    ours = signature_of(view.world, use.function)
    if ours is None or use.part is None:
        return []
    return part_calls(view.world, use.part.cls, use.method, ours, keywords)


def _kept_reads(use: BoundUse, view: View, before: View) -> list[str]:
    """What the replacement reads on its object, those attributes aside that such classes lost since."""
    reads = own_reads(use, before)
    lost = losses(before.world, view.world, use.method, reads)
    return [name for name in reads if name not in lost]


def _answer(view: View, use: BoundUse, part: Narrowed, calls: list[PartCall], keyword: str) -> Answer:
    function = use.function.definition
    callers = _callers(calls)
    known = most_followed(view.world, callers)
    example = callers[known]
    total = len(implementers(view.world, part.cls))
    reached = _inheriting(view, [one for one in callers if not lacks(view.world, one, part.parts[0])])
    confidence: Confidence = "likely" if reached and reached >= HALF * total else "possible"
    others = _inheriting(view, callers) - 1
    kin = f", as {others} of {total - 1} classes like it do" if others else ""
    message = (
        f"what replaces {use.method} is called with the keyword {keyword}, which it does not take "
        f"({caller_name(example.site)} in {view.version}{kin}), if the object is part of such a class below "
        f"{part.cls.name}"
    )
    return Answer(
        "DC304",
        function.module.path,
        name_span(function.module.source, function),
        example.method.qualname,
        message,
        subject=keyword,
        confidence=confidence,
        evidence=(site_evidence(view, example.site), *function_evidence(view, example.method)),
        related=(Related(use.path, use.span.line, f"it is put in place here as {use.method}"),),
    )


def _callers(calls: list[PartCall]) -> dict[ClassDef, PartCall]:
    """The classes whose methods make the calls, each with one of them."""
    found: dict[ClassDef, PartCall] = {}
    for call in calls:
        if call.site.function is not None and call.site.function.owner is not None:
            found.setdefault(call.site.function.owner, call)
    return found


def _inheriting(view: View, callers: Iterable[ClassDef]) -> int:
    """How many classes that is with those below them."""
    places = [Place(one.module.path, one.name) for one in callers]
    return len(all_below(view.world.provider, places))
